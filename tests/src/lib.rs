//! End-to-end tests on real servers and golden plans.
