"""REINFORCE: a policy network that follows the policy gradient."""
