//! Runs a plan: relay, scatter, merge, decorate, transactions.
