// SPDX-License-Identifier: Apache-2.0
// A service that users would write instead of Headway: it stores each event before it answers, and nothing else. It judges nothing, streams
// nothing and has no access control. node server.mjs sqlite|postgres PORTS_FILE STORE
//
// fastify, and better-sqlite3 with synchronous=FULL or pg; one transaction for each event, as such services have.
import { renameSync, writeFileSync } from 'node:fs';
import Fastify from 'fastify';

const [kind, portsFile, place] = process.argv.slice(2);

async function sqliteStore(file) {
    const { default: Database } = await import('better-sqlite3');
    const database = new Database(file);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.exec('CREATE TABLE IF NOT EXISTS events'
        + '(n INTEGER PRIMARY KEY, session TEXT NOT NULL, event_id TEXT UNIQUE, at INTEGER NOT NULL, body TEXT NOT NULL)');
    const insert = database.prepare('INSERT INTO events (session, event_id, at, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING');
    return async (...row) => insert.run(...row);
}

async function postgresStore(url) {
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({ connectionString: url, max: 16 });
    await pool.query('CREATE TABLE IF NOT EXISTS events'
        + '(n BIGSERIAL PRIMARY KEY, session TEXT NOT NULL, event_id TEXT UNIQUE, at BIGINT NOT NULL, body JSONB NOT NULL)');
    const text = 'INSERT INTO events (session, event_id, at, body) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING';
    return async (...values) => pool.query({ name: 'insert', text, values });
}

const store = await (kind === 'sqlite' ? sqliteStore(place) : postgresStore(place));
const app = Fastify();
app.post('/v1/sessions/:id/events', {
    schema: { body: { type: 'object', required: ['type'], properties: { type: { type: 'string' }, event_id: { type: 'string' } } } },
}, async (request, reply) => {
    const event = request.body;
    await store(request.params.id, event.event_id ?? null, Date.now(), JSON.stringify(event));
    reply.code(204);
});
const address = await app.listen({ host: '127.0.0.1', port: 0 });
writeFileSync(`${portsFile}.new`, JSON.stringify({ http: new URL(address).host }));
renameSync(`${portsFile}.new`, portsFile);
process.on('SIGTERM', () => process.exit(0));
