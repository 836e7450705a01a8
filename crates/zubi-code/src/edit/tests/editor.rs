//! Tests of a file that is open in an editor: its unsaved text counts, not the one on disk.

use std::sync::Mutex;

use async_trait::async_trait;
use zubi_base::clock::FixedClock;
use zubi_base::fs::ReadError;
use zubi_base::text::SourceText;

use super::tree::{self, Tree};
use super::{changes, insert};
use crate::edit::*;

/// One buffer that acts as an editor's text source and edit sink.
struct Editor(Mutex<(String, i32)>);

impl Editor {
    fn type_in(&self, text: &str) {
        let mut buffer = self.0.lock().unwrap();
        *buffer = (text.to_owned(), buffer.1 + 1);
    }

    fn text(&self) -> String {
        self.0.lock().unwrap().0.clone()
    }
}

#[async_trait]
impl TextSource for Editor {
    async fn read(&self, _path: &Utf8Path) -> Result<SourceText, ReadError> {
        let (text, version) = self.0.lock().unwrap().clone();
        Ok(SourceText { text: text.into(), bom: false, origin: TextOrigin::Editor { version } })
    }
}

#[async_trait]
impl EditSink for Editor {
    async fn apply(&self, operations: &[FileOperation], _options: &EditOptions) -> Result<EditOutcome, SinkError> {
        for operation in operations {
            if let FileOperation::Write { content, .. } = operation {
                self.type_in(std::str::from_utf8(content).unwrap());
            }
        }
        Ok(EditOutcome::default())
    }
}

#[test]
fn unsaved_text_is_checked_and_restored_by_undo() {
    let tree = Tree::new(&[("a", "saved\n")]);
    let editor = Arc::new(Editor(Mutex::new(("unsaved\n".to_owned(), 1))));
    let edits = EditService::new(
        tree.workspace(),
        Arc::clone(&editor) as Arc<dyn TextSource>,
        Arc::clone(&editor) as Arc<dyn EditSink>,
        &tree.state_dir,
        Arc::new(FixedClock(tree::NOW)),
    );
    let edit = changes(&[insert(&tree.uri("a"), 0, "new\n")]);
    tree.run(async {
        let plan = edits.plan("test", &edit, Encoding::Utf16, "server").await.unwrap();
        editor.type_in("typed since\n");
        let error = edits.apply(&plan.id).await.unwrap_err();
        assert!(matches!(error, EditError::Changed { .. }), "{error}");
        assert_eq!(editor.text(), "typed since\n");
        editor.type_in("unsaved\n");
        edits.apply(&plan.id).await.unwrap();
        assert_eq!(editor.text(), "new\nunsaved\n");
        editor.type_in("typed since\n");
        let error = edits.undo(&plan.id).await.unwrap_err();
        assert!(matches!(error, EditError::ChangedSinceApply { .. }), "{error}");
        editor.type_in("new\nunsaved\n");
        edits.undo(&plan.id).await.unwrap();
        assert_eq!(editor.text(), "unsaved\n", "not what is on disk");
    });
    assert_eq!(tree.show(), "a: \"saved\\n\"\n");
}
