//! Runs real MySQL servers, sysbench and HAProxy in a sandbox and compares direct with proxied.

pub mod load;
pub mod measure;
pub mod report;
