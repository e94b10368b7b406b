//! The port through which sessions reach the executors.

use std::sync::Arc;

use backend::Hub;
use distsql::Statement;
use meta::Otherwise;
use session::{Pending, Refusal, Table};

use super::{Admin, Answer, Error};

impl session::Admin for Admin<Arc<Hub>> {
    fn execute<'a>(
        &'a self,
        database: Option<&'a str>,
        statement: &'a Statement,
    ) -> Pending<'a, Result<session::Answer, Refusal>> {
        Box::pin(async move {
            Ok(match self.execute(database, statement).await? {
                Answer::Ok => session::Answer::Ok,
                Answer::Named { columns, rows } => session::Answer::Rows(Table { columns, rows }),
                Answer::Rows { columns, rows } => session::Answer::Rows(Table {
                    columns: columns.into_iter().map(str::to_owned).collect(),
                    rows,
                }),
            })
        })
    }

    fn create_database<'a>(&'a self, name: &'a str, guarded: bool) -> Pending<'a, Result<bool, Refusal>> {
        Box::pin(async move { Ok(!self.create_database(name, otherwise(guarded)).await?) })
    }

    fn drop_database<'a>(&'a self, name: &'a str, guarded: bool) -> Pending<'a, Result<bool, Refusal>> {
        Box::pin(async move { Ok(!self.drop_database(name, otherwise(guarded)).await?) })
    }

    fn learn<'a>(&'a self, database: &'a str, tables: &'a [String]) -> Pending<'a, Result<(), Refusal>> {
        Box::pin(async move { Ok(self.learn(database, tables).await?) })
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { code: error.code, state: error.state.to_owned(), message: error.message }
    }
}

const fn otherwise(guarded: bool) -> Otherwise {
    if guarded { Otherwise::Skip } else { Otherwise::Fail }
}
