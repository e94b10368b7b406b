//! Server connections: TLS, authentication, prepared statements, pools, introspection.
