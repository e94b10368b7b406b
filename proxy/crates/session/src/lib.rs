//! Listeners, login, the command loop, session state, and the one mapping of errors to ERR packets.
