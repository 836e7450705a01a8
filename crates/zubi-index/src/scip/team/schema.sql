-- The tables of a team's exact data, for PostgreSQL 14 and later. `zubi index push --create-schema` runs this script in one
-- transaction. Every row belongs to a repository, and row security hides the repositories that `zubi.access` does not grant
-- to the current role. The ids of symbols and of documents' data are hashes of their contents.

CREATE SCHEMA zubi;

DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'zubi_reader') THEN CREATE ROLE zubi_reader NOLOGIN; END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'zubi_writer') THEN CREATE ROLE zubi_writer NOLOGIN; END IF;
END $$;

CREATE TABLE zubi.version (version integer NOT NULL);
INSERT INTO zubi.version VALUES (1);

-- Which role may see which repository; `*` is all of them. An administrator writes the rows.
CREATE TABLE zubi.access (
    role name NOT NULL,
    repository text COLLATE "C" NOT NULL,
    can_push boolean NOT NULL DEFAULT false,
    PRIMARY KEY (role, repository)
);

CREATE TABLE zubi.repository (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 300)
);

-- The data of a commit by one indexer for one folder. `is_newest`: no snapshot of this folder and indexer has a later
-- commit.
CREATE TABLE zubi.snapshot (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    repository integer NOT NULL REFERENCES zubi.repository,
    commit_id text COLLATE "C" NOT NULL,
    folder text COLLATE "C" NOT NULL,
    tool text COLLATE "C" NOT NULL,
    tool_version text COLLATE "C" NOT NULL,
    committed_at bigint NOT NULL,
    pushed_ms bigint NOT NULL,
    digest bytea NOT NULL,
    is_newest boolean NOT NULL DEFAULT false,
    UNIQUE (repository, commit_id, folder, tool)
);
CREATE INDEX snapshot_newest ON zubi.snapshot (repository) WHERE is_newest;

-- The data of a content. The snapshots of a repository share them.
CREATE TABLE zubi.blob (
    id bigint NOT NULL,
    repository integer NOT NULL,
    hash bytea NOT NULL,
    digest bytea NOT NULL,
    unit smallint NOT NULL,
    occurrences bytea NOT NULL,
    PRIMARY KEY (id, repository)
);
CREATE INDEX blob_repository ON zubi.blob (repository);

CREATE TABLE zubi.document (
    snapshot bigint NOT NULL REFERENCES zubi.snapshot ON DELETE CASCADE,
    path text COLLATE "C" NOT NULL,
    repository integer NOT NULL,
    language text COLLATE "C" NOT NULL,
    blob bigint NOT NULL,
    PRIMARY KEY (snapshot, path)
);
CREATE INDEX document_blob ON zubi.document (blob, snapshot);

CREATE TABLE zubi.moniker (
    id bigint NOT NULL,
    repository integer NOT NULL,
    text text COLLATE "C" NOT NULL,
    name text COLLATE "C",
    kind smallint,
    PRIMARY KEY (id, repository)
);
CREATE INDEX moniker_name ON zubi.moniker (name, repository) WHERE name IS NOT NULL;

CREATE TABLE zubi.moniker_blob (
    moniker bigint NOT NULL,
    role smallint NOT NULL,
    repository integer NOT NULL,
    blob bigint NOT NULL,
    n integer NOT NULL,
    PRIMARY KEY (moniker, role, repository, blob)
);

CREATE TABLE zubi.relation (
    target bigint NOT NULL,
    repository integer NOT NULL,
    moniker bigint NOT NULL,
    blob bigint NOT NULL,
    bits smallint NOT NULL,
    PRIMARY KEY (target, repository, moniker, blob)
);
CREATE INDEX relation_moniker ON zubi.relation (moniker, repository);

-- The current role, and the roles that it is a member of. The search path is fixed, so that no role can replace an operator.
CREATE FUNCTION zubi.own_roles() RETURNS name[] LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    own oid[] := ARRAY(SELECT oid FROM pg_roles WHERE rolname = current_user);
    next oid[] := own;
BEGIN
    WHILE next <> '{}' LOOP
        next := ARRAY(SELECT DISTINCT roleid FROM pg_auth_members WHERE member = ANY (next) AND roleid <> ALL (own));
        own := own || next;
    END LOOP;
    RETURN ARRAY(SELECT pg_get_userbyid(one) FROM unnest(own) AS one);
END $$;

ALTER TABLE zubi.access ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON zubi.access FOR SELECT USING (role = ANY ((SELECT zubi.own_roles())::name[]));

ALTER TABLE zubi.repository ENABLE ROW LEVEL SECURITY;
CREATE POLICY visible ON zubi.repository FOR SELECT
    USING (name IN (SELECT repository FROM zubi.access) OR EXISTS (SELECT FROM zubi.access WHERE repository = '*'));
CREATE POLICY pushed ON zubi.repository FOR INSERT TO zubi_writer
    WITH CHECK (name IN (SELECT repository FROM zubi.access WHERE can_push)
        OR EXISTS (SELECT FROM zubi.access WHERE repository = '*' AND can_push));

-- The repositories of the policies below. The functions have the rights of their caller, so the policies above apply. A
-- connection plans their queries once, while it plans those of a policy with each statement.
CREATE FUNCTION zubi.visible_repositories() RETURNS SETOF integer LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
    SET search_path = pg_catalog, pg_temp AS $$ BEGIN
    RETURN QUERY SELECT id FROM zubi.repository;
END $$;
CREATE FUNCTION zubi.pushed_repositories() RETURNS SETOF integer LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
    SET search_path = pg_catalog, pg_temp AS $$ BEGIN
    RETURN QUERY SELECT r.id FROM zubi.repository r WHERE r.name IN (SELECT repository FROM zubi.access WHERE can_push)
        OR EXISTS (SELECT FROM zubi.access WHERE repository = '*' AND can_push);
END $$;

-- The policies of the other tables are the same. Their sub-queries run once per table of a statement, not once per row.
DO $$ DECLARE name text; BEGIN
    FOREACH name IN ARRAY ARRAY['snapshot', 'blob', 'document', 'moniker', 'moniker_blob', 'relation'] LOOP
        EXECUTE format('ALTER TABLE zubi.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY visible ON zubi.%I FOR SELECT
            USING (repository IN (SELECT zubi.visible_repositories()))', name);
        EXECUTE format('CREATE POLICY pushed ON zubi.%I FOR ALL TO zubi_writer
            USING (repository IN (SELECT zubi.pushed_repositories()))', name);
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA zubi TO zubi_reader, zubi_writer;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA zubi TO zubi_reader, zubi_writer;
GRANT SELECT ON ALL TABLES IN SCHEMA zubi TO zubi_reader, zubi_writer;
GRANT INSERT ON zubi.repository TO zubi_writer;
GRANT INSERT, UPDATE, DELETE ON zubi.snapshot, zubi.blob, zubi.document, zubi.moniker, zubi.moniker_blob, zubi.relation
    TO zubi_writer;
