//! The collections of a model.

use std::sync::Arc;

use dlang_model::{
    Db, Definition, ElementKind, File, RelationshipSource, file_index, project_files, relationship_views,
};

use super::elements::Elements;
use super::relationships::Relationships;

/// A model whose collections can be queried: the whole project, or some files of it.
#[derive(Clone)]
pub struct Query<'db> {
    db: &'db dyn Db,
    files: Arc<[File]>,
}

impl<'db> Query<'db> {
    /// Queries all files of the project.
    pub fn new(db: &'db dyn Db) -> Self {
        Self { db, files: project_files(db).into() }
    }

    /// Returns the number of files.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// Returns the elements of a kind.
    pub fn elements(&self, kind: ElementKind) -> Elements<'db> {
        let elements_of_file = |file: &File| {
            let numbered = file_index(self.db, *file).elements_with_numbers();
            let file = *file;
            numbered
                .filter(move |(_, element)| element.kind == kind)
                .map(move |(number, _)| Definition { file, number })
        };
        Elements::new(self.db, self.files.iter().flat_map(elements_of_file).collect())
    }

    /// Returns the domains.
    pub fn domains(&self) -> Elements<'db> {
        self.elements(ElementKind::Domain)
    }

    /// Returns the bounded contexts.
    pub fn bounded_contexts(&self) -> Elements<'db> {
        self.elements(ElementKind::BoundedContext)
    }

    /// Returns the teams.
    pub fn teams(&self) -> Elements<'db> {
        self.elements(ElementKind::Team)
    }

    /// Returns the classifications.
    pub fn classifications(&self) -> Elements<'db> {
        self.elements(ElementKind::Classification)
    }

    /// Returns the context maps.
    pub fn context_maps(&self) -> Elements<'db> {
        self.elements(ElementKind::ContextMap)
    }

    /// Returns the domain maps.
    pub fn domain_maps(&self) -> Elements<'db> {
        self.elements(ElementKind::DomainMap)
    }

    /// Returns the namespaces; each block of a reopened one counts.
    pub fn namespaces(&self) -> Elements<'db> {
        self.elements(ElementKind::Namespace)
    }

    /// Returns the relationships whose ends both resolve: first those in bounded contexts, then those in context maps.
    pub fn relationships(&self) -> Relationships<'db> {
        let mut views: Vec<_> = self.files.iter().flat_map(|file| relationship_views(self.db, *file)).collect();
        // The sort is stable: it preserves the order of files and texts.
        views.sort_by_key(|view| view.source_kind == RelationshipSource::ContextMap);
        Relationships::new(self.db, views)
    }
}
