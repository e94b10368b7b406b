//! Commands about sessions themselves: reset, change of user, figures, the end of others.

use wire::caps::Capabilities;
use wire::errno;
use wire::handshake::ChangeUser;

use crate::client::Failure;
use crate::error::Problem;
use crate::login;
use crate::session::{Next, Session};
use crate::state::State;

impl Session {
    /// `COM_RESET_CONNECTION`: as after login, but with the current database kept.
    pub(crate) async fn reset(&mut self) -> Result<(), Problem> {
        self.fresh(self.initial.clone()).await;
        self.ok()
    }

    /// Ends what is open and takes a state as after login.
    async fn fresh(&mut self, state: State) {
        self.executor.reset().await;
        self.statements.clear();
        self.executor.settings_mut().clone_from(&state.settings);
        self.state = state;
    }

    /// `COM_CHANGE_USER`: another login on the same connection; one that fails ends it.
    pub(crate) async fn change_user(&mut self, change: ChangeUser<'_>) -> Result<Next, Failure> {
        self.executor.reset().await;
        let shared = std::sync::Arc::clone(&self.shared);
        let Some(login) = login::again(&shared, &mut self.client, &self.who, &change).await? else {
            return Ok(Next::Quit);
        };
        self.initial = login.state.clone();
        self.fresh(login.state).await;
        self.who = login.who;
        self.shared.registry.rename(self.id, &self.who.user);
        self.schema = login.database.map(Into::into);
        let status = self.status();
        self.client.put_ok(status);
        Ok(Next::Go)
    }

    pub(crate) fn set_option(&mut self, option: u16) -> Result<(), Problem> {
        match option {
            0 | 1 => {
                self.client.capabilities.set(Capabilities::MULTI_STATEMENTS, option == 0);
                let (capabilities, status) = (self.client.capabilities, self.status());
                self.client.put(|out| wire::reply::put_end(out, &crate::reply::done(status), capabilities));
                Ok(())
            }
            _ => Err(Problem::new(errno::UNKNOWN_COMMAND, "Unknown command")),
        }
    }

    /// One line in the form of MySQL's `mysqladmin status`.
    pub(crate) fn statistics(&self) -> String {
        let uptime = self.since.elapsed().as_secs();
        let threads = self.shared.registry.list().len();
        format!("Uptime: {uptime}  Threads: {threads}  Questions: {}", self.questions)
    }

    pub(crate) async fn process_info(&mut self) -> Result<(), Problem> {
        let show = sql::Show {
            what: sql::ShowWhat::ProcessList,
            schema: None,
            like: None,
            filtered: false,
            full: false,
        };
        let table = self.show(&show)?.unwrap_or_default();
        self.put_table(&table, crate::reply::Format::Text);
        Ok(())
    }

    /// Ends another session when its running statement is done.
    pub(crate) fn kill(&mut self, id: u64, query: bool) -> Result<(), Problem> {
        if query {
            return Err(Problem::unsupported("KILL QUERY"));
        }
        if id == u64::from(self.id) {
            self.quitting = true;
            return Err(killed());
        }
        let own = u32::try_from(id).ok().filter(|id| self.shared.registry.kill(*id, &self.who.user));
        match own {
            Some(_) => self.ok(),
            None => Err(Problem::new(errno::NO_SUCH_THREAD, format!("Unknown thread id: {id}"))),
        }
    }
}

/// A session was ended by `KILL`.
pub(crate) fn killed() -> Problem {
    Problem::new(errno::QUERY_INTERRUPTED, "Connection was killed")
}
