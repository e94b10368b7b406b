//! Governance: keeps configuration in the data folder, atomically, and publishes snapshots.
