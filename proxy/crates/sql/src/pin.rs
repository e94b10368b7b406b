//! Why a server connection belongs to one session.

bitflags::bitflags! {
    /// Reasons for which a server connection is kept for a session, each of which can end by itself.
    #[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
    pub struct Pin: u16 {
        /// A cursor of a prepared statement is open.
        const CURSOR = 1;
        /// `FLUSH TABLES … WITH READ LOCK`, `FOR EXPORT`.
        const GLOBAL_LOCK = 1 << 1;
        /// `HANDLER … OPEN`.
        const HANDLER = 1 << 2;
        /// `LOCK INSTANCE FOR BACKUP`.
        const INSTANCE_LOCK = 1 << 3;
        /// `LOCK TABLES`.
        const TABLE_LOCK = 1 << 5;
        /// `CREATE TEMPORARY TABLE`.
        const TEMPORARY_TABLE = 1 << 6;
        /// The server told of a change that nobody knows more about, or the text hides what it does.
        const UNKNOWN = 1 << 7;
        /// `GET_LOCK`.
        const USER_LOCK = 1 << 8;
        /// A user variable has a value that is known on this connection alone.
        const VARIABLE = 1 << 9;
        /// `XA START`.
        const XA = 1 << 10;
    }
}
