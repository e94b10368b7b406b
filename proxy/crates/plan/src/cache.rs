//! Templates by the statements they serve. One per worker; bounded by the bytes it holds.

use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use meta::Snapshot;
use quick_cache::unsync::Cache as Store;
use quick_cache::{Equivalent, Weighter};
use smallvec::SmallVec;
use sql::{Fingerprint, Mode};

use crate::error::Error;
use crate::template::Template;

/// What a template is kept for.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Kept {
    /// All texts that differ in nothing but values.
    Alike,
    /// This text with the values in it, as a prepared statement: all its texts can be named by
    /// [`Template::text_id`].
    Exact,
}

/// Hands out the numbers of templates. All caches of a process share one, because a server connection with its prepared
/// statements may change workers, and [`Template::text_id`] must mean the same text there.
#[derive(Debug, Default)]
pub struct Numbers(AtomicU64);

/// Templates by the statements they serve.
pub struct Cache {
    epoch: u64,
    numbers: Arc<Numbers>,
    misses: u64,
    store: Store<Owned, Variants, Weight>,
}

/// Templates with one hash: of different fixed values, or by chance.
type Variants = SmallVec<[Rc<Template>; 1]>;

/// More variants of one hash are not kept.
const VARIANTS: usize = 16;

/// Larger templates (of bulk `INSERT`s, mostly used once) would drive out many others.
const LARGEST: u64 = 512 * 1024;

#[derive(Clone, Debug, Eq, PartialEq)]
struct Owned {
    hash: u64,
    schema: Option<Box<str>>,
    mode: Mode,
    kept: Kept,
}

#[derive(Clone, Copy, Debug)]
struct Borrowed<'a> {
    hash: u64,
    schema: Option<&'a str>,
    mode: Mode,
    kept: Kept,
}

#[derive(Clone, Copy, Debug)]
struct Weight;

impl Cache {
    /// A cache of at most about so many bytes.
    pub fn new(bytes: u64, numbers: Arc<Numbers>) -> Self {
        let items = usize::try_from(bytes / 4096).unwrap_or(usize::MAX).max(16);
        Self { epoch: 0, numbers, misses: 0, store: Store::with_weighter(items, bytes, Weight) }
    }

    /// The template of a text, kept or new. Refusals are not kept.
    pub fn template(
        &mut self,
        text: &str,
        fingerprint: &Fingerprint,
        mode: Mode,
        snapshot: &Snapshot,
        schema: Option<&str>,
        kept: Kept,
    ) -> Result<Rc<Template>, Error> {
        if self.epoch != snapshot.epoch {
            self.store.clear();
            self.epoch = snapshot.epoch;
        }
        let key = Borrowed { hash: fingerprint.hash, schema, mode, kept };
        if let Some(template) = self.find(&key, text, fingerprint) {
            return Ok(template);
        }
        self.misses += 1;
        let mut template = Template::draft(text, fingerprint, mode, snapshot, schema)?;
        template.exact = kept == Kept::Exact;
        template.id = self.numbers.next();
        let template = Rc::new(template);
        if template.weight() <= LARGEST {
            self.keep(&key, &template);
        }
        Ok(template)
    }

    /// How often a text was not found here, so far.
    pub const fn misses(&self) -> u64 {
        self.misses
    }

    /// How many bytes it holds, about.
    pub fn bytes(&self) -> u64 {
        self.store.weight()
    }

    fn find(&self, key: &Borrowed<'_>, text: &str, fingerprint: &Fingerprint) -> Option<Rc<Template>> {
        let variants = self.store.get(key)?;
        let serves = |template: &&Rc<Template>| {
            template.serves(text, &fingerprint.slots)
                && (template.exact || fingerprint.alike(text, &template.slots, &template.text))
        };
        variants.iter().find(serves).map(Rc::clone)
    }

    fn keep(&mut self, key: &Borrowed<'_>, template: &Rc<Template>) {
        let mut variants = self.store.get(key).cloned().unwrap_or_default();
        if variants.len() >= VARIANTS {
            variants.remove(0);
        }
        variants.push(Rc::clone(template));
        let schema = key.schema.map(Into::into);
        self.store.insert(Owned { hash: key.hash, schema, mode: key.mode, kept: key.kept }, variants);
    }
}

impl Numbers {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

impl Hash for Owned {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl Hash for Borrowed<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl Equivalent<Owned> for Borrowed<'_> {
    fn equivalent(&self, key: &Owned) -> bool {
        self.hash == key.hash
            && self.schema == key.schema.as_deref()
            && self.mode == key.mode
            && self.kept == key.kept
    }
}

impl Weighter<Owned, Variants> for Weight {
    fn weight(&self, _: &Owned, variants: &Variants) -> u64 {
        variants.iter().map(|template| template.weight()).sum()
    }
}
