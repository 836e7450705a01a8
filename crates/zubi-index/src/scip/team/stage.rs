//! The rows of a push in temporary tables, which a binary `COPY` fills.

use deadpool_postgres::Object;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};

use super::error::TeamIndexError;

/// The temporary tables. They end with the transaction.
pub(super) const TABLES: &str = "
CREATE TEMPORARY TABLE stage_blob
    (id bigint, hash bytea, digest bytea, unit smallint, occurrences bytea) ON COMMIT DROP;
CREATE TEMPORARY TABLE stage_document (path text, language text, blob bigint) ON COMMIT DROP;
CREATE TEMPORARY TABLE stage_moniker (id bigint, text text, name text, kind smallint, is_known boolean) ON COMMIT DROP;
CREATE TEMPORARY TABLE stage_symbol (moniker bigint, role smallint, blob bigint, n integer) ON COMMIT DROP;
CREATE TEMPORARY TABLE stage_relation (target bigint, moniker bigint, blob bigint, bits smallint) ON COMMIT DROP;
";

/// A row of a temporary table.
trait StageRow {
    const TABLE: &str;
    const TYPES: &[Type];

    fn values(&self) -> Vec<&(dyn ToSql + Sync)>;
}

/// The data of a content.
pub(super) struct BlobRow {
    pub(super) id: i64,
    pub(super) hash: Vec<u8>,
    pub(super) digest: Vec<u8>,
    pub(super) unit: i16,
    pub(super) occurrences: Vec<u8>,
}

impl StageRow for BlobRow {
    const TABLE: &str = "stage_blob";
    const TYPES: &[Type] = &[Type::INT8, Type::BYTEA, Type::BYTEA, Type::INT2, Type::BYTEA];

    fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        vec![&self.id, &self.hash, &self.digest, &self.unit, &self.occurrences]
    }
}

/// A document of the snapshot.
pub(super) struct DocumentStage {
    pub(super) path: String,
    pub(super) language: String,
    pub(super) blob: i64,
}

impl StageRow for DocumentStage {
    const TABLE: &str = "stage_document";
    const TYPES: &[Type] = &[Type::TEXT, Type::TEXT, Type::INT8];

    fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        vec![&self.path, &self.language, &self.blob]
    }
}

/// A symbol. Several rows can have the same one.
pub(super) struct MonikerStage {
    pub(super) id: i64,
    pub(super) text: String,
    pub(super) name: Option<String>,
    pub(super) kind: Option<i16>,
    /// Whether the producer has sent the kind. Otherwise it is that of the symbol's grammar.
    pub(super) is_known: bool,
}

impl StageRow for MonikerStage {
    const TABLE: &str = "stage_moniker";
    const TYPES: &[Type] = &[Type::INT8, Type::TEXT, Type::TEXT, Type::INT2, Type::BOOL];

    fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        vec![&self.id, &self.text, &self.name, &self.kind, &self.is_known]
    }
}

/// The number of occurrences of a symbol in a content.
pub(super) struct SymbolStage {
    pub(super) moniker: i64,
    pub(super) role: i16,
    pub(super) blob: i64,
    pub(super) number: i32,
}

impl StageRow for SymbolStage {
    const TABLE: &str = "stage_symbol";
    const TYPES: &[Type] = &[Type::INT8, Type::INT2, Type::INT8, Type::INT4];

    fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        vec![&self.moniker, &self.role, &self.blob, &self.number]
    }
}

/// A relation of two symbols.
pub(super) struct RelationStage {
    pub(super) target: i64,
    pub(super) moniker: i64,
    pub(super) blob: i64,
    pub(super) bits: i16,
}

impl StageRow for RelationStage {
    const TABLE: &str = "stage_relation";
    const TYPES: &[Type] = &[Type::INT8, Type::INT8, Type::INT8, Type::INT2];

    fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        vec![&self.target, &self.moniker, &self.blob, &self.bits]
    }
}

/// The rows that are not sent yet.
#[derive(Default)]
pub(super) struct StageRows {
    pub(super) blobs: Vec<BlobRow>,
    pub(super) documents: Vec<DocumentStage>,
    pub(super) monikers: Vec<MonikerStage>,
    pub(super) symbols: Vec<SymbolStage>,
    pub(super) relations: Vec<RelationStage>,
}

impl StageRows {
    /// Sends all rows.
    pub(super) async fn send(self, client: &Object) -> Result<(), TeamIndexError> {
        copy(client, &self.blobs).await?;
        copy(client, &self.documents).await?;
        copy(client, &self.monikers).await?;
        copy(client, &self.symbols).await?;
        copy(client, &self.relations).await
    }
}

async fn copy<R: StageRow>(client: &Object, rows: &[R]) -> Result<(), TeamIndexError> {
    if rows.is_empty() {
        return Ok(());
    }
    let sink = client.copy_in(&format!("COPY pg_temp.{} FROM STDIN BINARY", R::TABLE)).await?;
    let mut writer = std::pin::pin!(BinaryCopyInWriter::new(sink, R::TYPES));
    for row in rows {
        writer.as_mut().write(&row.values()).await?;
    }
    writer.finish().await?;
    Ok(())
}
