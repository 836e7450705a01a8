//! The editor as source of texts, sink of edits, and store of settings.

use std::sync::Arc;

use dlang_server::ClientHandle;
use zubi_base::text::{EditorSink, TextSource};
use zubi_host::EditorAccess;
use zubi_host::settings::EditorSettings;

use crate::editor::Editor;
use crate::settings::EditorConfiguration;
use crate::sink::ChannelSink;
use crate::texts::EditorText;
use crate::wire::{EDITOR_APPLY, EDITOR_CONFIG};

/// Access to the texts, the edits and the settings of an open editor.
pub(crate) struct LiveEditor {
    client: ClientHandle,
    editor: Arc<Editor>,
}

impl LiveEditor {
    pub(crate) fn new(client: ClientHandle, editor: Arc<Editor>) -> Self {
        Self { client, editor }
    }

    pub(crate) fn applies_edits(&self) -> bool {
        self.editor.answers(EDITOR_APPLY)
    }
}

impl EditorAccess for LiveEditor {
    fn texts(&self, below: Arc<dyn TextSource>) -> Arc<dyn TextSource> {
        Arc::new(EditorText::new(below, Arc::clone(&self.editor)))
    }

    fn sink(&self, texts: Arc<dyn TextSource>) -> Option<Arc<dyn EditorSink>> {
        let sink = ChannelSink::new(self.client.clone(), Arc::clone(&self.editor), texts);
        self.applies_edits().then(|| Arc::new(sink) as Arc<dyn EditorSink>)
    }

    fn settings(&self) -> Option<Arc<dyn EditorSettings>> {
        let settings = EditorConfiguration(Arc::clone(&self.editor));
        self.editor.answers(EDITOR_CONFIG).then(|| Arc::new(settings) as Arc<dyn EditorSettings>)
    }
}
