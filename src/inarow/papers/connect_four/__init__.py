"""The Connect Four paper: minimax on ever larger boards, and TDL agents that train each other."""
