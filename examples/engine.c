/* A player in C for boards in a plane: it wins if it can, else blocks, else stays in the middle.
 *
 *     cc -O2 -o engine examples/engine.c
 *     inarow match connect4:6x7 cmd:./engine random
 *
 * docs/players.md describes the lines it reads and writes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rows, columns, k, gravity;

/* The number of like stones from a cell on in a direction, itself not counted. */
static int run(const char *board, int row, int column, int down, int across, char stone)
{
    int length = 0;
    for (;;) {
        row += down;
        column += across;
        if (row < 0 || row >= rows || column < 0 || column >= columns)
            return length;
        if (board[row * columns + column] != stone)
            return length;
        length++;
    }
}

/* Whether a stone on a cell completes a line. */
static int completes(const char *board, int cell, char stone)
{
    static const int directions[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    int row = cell / columns, column = cell % columns;
    for (int i = 0; i < 4; i++) {
        int down = directions[i][0], across = directions[i][1];
        if (1 + run(board, row, column, down, across, stone)
              + run(board, row, column, -down, -across, stone) >= k)
            return 1;
    }
    return 0;
}

/* Where the stone of a move comes to lie. Moves are 4 (a column), 23 or 10,3 (row and column). */
static int cell_of(const char *board, const char *move)
{
    int row = 0, column = 0;
    if (gravity) {
        column = atoi(move) - 1;
        while (board[row * columns + column] != '.')
            row++; /* the first row is the lowest */
    } else if (strchr(move, ',')) {
        sscanf(move, "%d,%d", &row, &column);
        row--, column--;
    } else {
        row = move[0] - '1';
        column = move[1] - '1';
    }
    return row * columns + column;
}

int main(void)
{
    static char line[65536], *moves[4096];
    while (fgets(line, sizeof line, stdin)) {
        char *word = strtok(line, " \n");
        if (word && strcmp(word, "game") == 0) {
            strtok(NULL, " \n"); /* its name */
            char *shape = strtok(NULL, " \n");
            k = atoi(strtok(NULL, " \n"));
            strtok(NULL, " \n"); /* a seed, for players that draw lots */
            gravity = 0;
            while ((word = strtok(NULL, " \n")))
                gravity |= strcmp(word, "gravity") == 0;
            if (sscanf(shape, "%dx%d", &rows, &columns) != 2 || strchr(strchr(shape, 'x') + 1, 'x'))
                puts("sorry, only boards in a plane");
            else
                puts("ready");
        } else if (word && strcmp(word, "move") == 0) {
            char side = strtok(NULL, " \n")[0], other = side == 'X' ? 'O' : 'X';
            char *board = strtok(NULL, " \n"), *best = NULL;
            int count = 0;
            while (count < 4096 && (word = strtok(NULL, " \n")))
                moves[count++] = word;
            for (int i = 0; i < count && !best; i++)
                if (completes(board, cell_of(board, moves[i]), side))
                    best = moves[i];
            for (int i = 0; i < count && !best; i++)
                if (completes(board, cell_of(board, moves[i]), other))
                    best = moves[i];
            puts(best ? best : moves[count / 2]);
        }
        fflush(stdout); /* or nobody sees the answer */
    }
    return 0;
}
