// The hybrid paper's training as a plain C++17 program: what `tabular.py` compares this package to.
//
//   g++ -std=c++17 -O2 -o plain_td plain_td.cpp
//   ./plain_td tictactoe|connect4 STRATEGY GAMES SEED [--no-stop] [--test GAMES]
//
// Written as the paper describes its own programs (sections 2.3 to 3): a board of digits (0 empty,
// 1 opponent, 2 agent), the state as a base-3 number, one utility for each of the 3^cells numbers,
// and opponents that look along the lines of the board. Neither slowed down nor tuned: what is
// asked for is worked out from the board when it is asked for.
//
// The opponent moves first, its opening move is random, and each 7th game it plays at random
// throughout. Training ends after GAMES games, or when none of the last 50,000 was lost, which is
// looked at after each 10,000 (--no-stop: only after GAMES). Prints one JSON object; seconds are
// CPU time of the training alone. --test adds the games lost to the random player afterwards.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

constexpr double ALPHA = 0.25;  // learning rate
constexpr double GAMMA = 1.0;   // discount factor
constexpr double WON = 1.0, LOST = -1.0, TIED = 0.2;
constexpr int RANDOM_EVERY = 7;
constexpr long STOP_AFTER = 50'000, STOP_CHECK = 10'000;

constexpr int EMPTY = 0, OPPONENT = 1, AGENT = 2;

enum Strategy { RANDOM, ATTACK, DEFENSE, ATTACK_DEFENSE, DEFENSE_ATTACK, COMBINED };
const char *const STRATEGIES[] = {"random",         "attack",         "defense",
                                  "attack-defense", "defense-attack", "combined"};

constexpr int MOST_CELLS = 16, MOST_LINES = 16, MOST_LENGTH = 4;

// Cell c is in row c / columns, counted from the bottom, and column c % columns.
class Training {
  public:
    Training(int rows, int columns, int length, bool gravity, Strategy strategy, std::uint64_t seed)
        : rows(rows), columns(columns), length(length), cells(rows * columns), gravity(gravity),
          strategy(strategy), generator(seed) {
        int states = 1;
        for (int cell = 0; cell < cells; cell++) states *= 3;
        utilities.assign(states, 0.0);
        make_lines();
    }

    // Plays until `games` are played or the stop rule ends it.
    void train(long games, bool may_stop) {
        while (played < games) {
            played++;
            const int result = play(opponent_of_game());
            won += result == AGENT;
            if (result == OPPONENT) {
                lost++;
                last_lost = played;
            }
            update(result);
            if (may_stop && played % STOP_CHECK == 0 && played - last_lost >= STOP_AFTER) break;
        }
    }

    // Games lost to the random player, learning nothing.
    long test(long games) {
        long lost_games = 0;
        for (long i = 0; i < games; i++) lost_games += play(RANDOM) == OPPONENT;
        return lost_games;
    }

    long played = 0, won = 0, lost = 0;

  private:
    const int rows, columns, length, cells;
    const bool gravity;
    const Strategy strategy;
    std::mt19937_64 generator;
    std::vector<double> utilities;
    int lines[MOST_LINES][MOST_LENGTH];  // rows, then columns, then diagonals
    int number_of_lines = 0;
    int board[MOST_CELLS];
    int visited[MOST_CELLS + 1];  // the states of this game, the empty board first
    int moves = 0;
    long last_lost = 0;

    // ---- the board

    void add_line(int row, int column, int row_step, int column_step) {
        for (int i = 0; i < length; i++)
            lines[number_of_lines][i] = (row + i * row_step) * columns + column + i * column_step;
        number_of_lines++;
    }

    void make_lines() {
        for (int row = 0; row < rows; row++)
            for (int column = 0; column + length <= columns; column++) add_line(row, column, 0, 1);
        for (int column = 0; column < columns; column++)
            for (int row = 0; row + length <= rows; row++) add_line(row, column, 1, 0);
        for (int row = 0; row + length <= rows; row++)
            for (int column = 0; column + length <= columns; column++) add_line(row, column, 1, 1);
        for (int row = 0; row + length <= rows; row++)
            for (int column = length - 1; column < columns; column++) add_line(row, column, 1, -1);
    }

    // The board as a number with a digit for each cell.
    int state() const {
        int number = 0;
        for (int cell = 0; cell < cells; cell++) number = 3 * number + board[cell];
        return number;
    }

    bool playable(int cell) const {
        return board[cell] == EMPTY && (!gravity || cell < columns || board[cell - columns] != EMPTY);
    }

    int playable_cells(int *found) const {
        int count = 0;
        for (int cell = 0; cell < cells; cell++)
            if (playable(cell)) found[count++] = cell;
        return count;
    }

    bool has_won(int player) const {
        for (int line = 0; line < number_of_lines; line++) {
            int stones = 0;
            while (stones < length && board[lines[line][stones]] == player) stones++;
            if (stones == length) return true;
        }
        return false;
    }

    // ---- the players

    int random_below(int count) {
        return std::uniform_int_distribution<int>(0, count - 1)(generator);
    }

    int random_move() {
        int found[MOST_CELLS];
        const int count = playable_cells(found);
        return found[random_below(count)];
    }

    // The cell that completes the first line on which only one stone of the player is missing.
    int missing_cell(int player) const {
        for (int line = 0; line < number_of_lines; line++) {
            int stones = 0, gap = -1;
            for (int i = 0; i < length; i++) {
                const int cell = lines[line][i];
                if (board[cell] == player)
                    stones++;
                else
                    gap = cell;
            }
            if (stones == length - 1 && playable(gap)) return gap;
        }
        return -1;
    }

    int opponent_move(Strategy player) {
        int cell = -1;
        if (moves > 0) {  // the opening move is always random
            if (player == ATTACK || player == ATTACK_DEFENSE) cell = missing_cell(OPPONENT);
            if (player == DEFENSE || player == DEFENSE_ATTACK) cell = missing_cell(AGENT);
            if (cell < 0 && player == ATTACK_DEFENSE) cell = missing_cell(AGENT);
            if (cell < 0 && player == DEFENSE_ATTACK) cell = missing_cell(OPPONENT);
        }
        return cell >= 0 ? cell : random_move();
    }

    // The move to the state of the highest utility, any of them if there are several.
    int agent_move() {
        int found[MOST_CELLS], best_cells[MOST_CELLS];
        const int count = playable_cells(found);
        double best = -2.0;
        int ties = 0;
        for (int i = 0; i < count; i++) {
            const int cell = found[i];
            board[cell] = AGENT;
            const double utility = utilities[state()];
            board[cell] = EMPTY;
            if (utility > best) {
                best = utility;
                ties = 0;
            }
            if (utility == best) best_cells[ties++] = cell;
        }
        return ties == 1 ? best_cells[0] : best_cells[random_below(ties)];
    }

    Strategy opponent_of_game() {
        if (played % RANDOM_EVERY == 0) return RANDOM;
        if (strategy == COMBINED) return static_cast<Strategy>(ATTACK + random_below(4));
        return strategy;
    }

    // ---- a game, and what is learned from it (Listing 1)

    // Who won, or EMPTY.
    int play(Strategy opponent) {
        std::fill(board, board + cells, EMPTY);
        moves = 0;
        visited[0] = state();
        while (moves < cells) {
            const int player = moves % 2 == 0 ? OPPONENT : AGENT;
            const int cell = player == OPPONENT ? opponent_move(opponent) : agent_move();
            board[cell] = player;
            visited[++moves] = state();
            if (has_won(player)) return player;
        }
        return EMPTY;
    }

    void update(int result) {
        int current = visited[moves];
        utilities[current] = result == AGENT ? WON : result == OPPONENT ? LOST : TIED;
        for (int i = moves - 1; i >= 0; i--) {
            const int earlier = visited[i];
            utilities[earlier] += ALPHA * (GAMMA * utilities[current] - utilities[earlier]);
            current = earlier;
        }
    }
};

void run(Training training, long games, bool may_stop, long test_games) {
    const std::clock_t start = std::clock();
    training.train(games, may_stop);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    const double speed = training.played / std::max(seconds, 1e-6);
    std::printf("{\"games\": %ld, \"seconds\": %.6f, \"games_per_second\": %.1f, ", training.played,
                seconds, speed);
    std::printf("\"wins\": %ld, \"losses\": %ld", training.won, training.lost);
    if (test_games > 0) std::printf(", \"test_losses\": %ld", training.test(test_games));
    std::printf("}\n");
}

int main(int count, char **arguments) {
    bool may_stop = true;
    long test_games = 0;
    std::vector<std::string> words;
    for (int i = 1; i < count; i++) {
        if (std::strcmp(arguments[i], "--no-stop") == 0)
            may_stop = false;
        else if (std::strcmp(arguments[i], "--test") == 0 && i + 1 < count)
            test_games = std::atol(arguments[++i]);
        else
            words.push_back(arguments[i]);
    }
    const auto name = words.size() == 4
                          ? std::find(std::begin(STRATEGIES), std::end(STRATEGIES), words[1])
                          : std::end(STRATEGIES);
    if (name == std::end(STRATEGIES) || (words[0] != "tictactoe" && words[0] != "connect4")) {
        std::fprintf(stderr,
                     "plain_td tictactoe|connect4 STRATEGY GAMES SEED [--no-stop] [--test GAMES]\n"
                     "strategies: random attack defense attack-defense defense-attack combined\n");
        return 2;
    }
    const auto strategy = static_cast<Strategy>(name - std::begin(STRATEGIES));
    const long games = std::atol(words[2].c_str());
    const std::uint64_t seed = std::strtoull(words[3].c_str(), nullptr, 10);
    if (words[0] == "tictactoe")
        run(Training(3, 3, 3, false, strategy, seed), games, may_stop, test_games);
    else
        run(Training(4, 4, 4, true, strategy, seed), games, may_stop, test_games);
    return 0;
}
