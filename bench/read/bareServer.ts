import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import pg from 'pg';
import { orderedKey } from '../../src/platform/database/orderedKey.ts';

/**
 * The baseline: for each route one prepared statement by primary key or on the index of the order, and the
 * same JSON. It has no authentication, limits, request ids, cursors or errors.
 */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
const principalId = process.env.PRINCIPAL_ID;
const app = new Hono();

const summary = `id, address, chain_id as "chainId", display_name as "displayName", status, state,
  template_id as "templateId", last_input_id as "lastInputId", last_input_at as "lastInputAt", owner,
  document_id as "documentId", doc_uri as "docUri", created_at as "createdAt", updated_at as "updatedAt"`;
const meta = { apiVersion: 'v0', requestId: 'req_00000000000000000000000000000000' };

app.get('/v0/agreements', async (context) => {
  const { rows } = await pool.query({
    name: 'list',
    text: `select ${summary} from service.records where ${orderedKey('principal_id', 'created_at')} = $1 order by created_at desc, id desc limit 26`,
    values: [principalId],
  });
  const pageInfo = { limit: 25, nextCursor: rows.length > 25 ? rows[24].id : null };
  return context.json({ data: rows.slice(0, 25), pageInfo, meta });
});

app.get('/v0/agreements/:id', async (context) => {
  const { rows } = await pool.query({
    name: 'record',
    text: `select ${summary}, document::json as json, variables, contributors, participants, observers,
        json_build_object('owner', owner, 'docHash', doc_hash, 'initialState', initial_state_hash, 'currentState', state_hash,
          'deployTxHash', deploy_tx_hash, 'deployBlockNumber', deploy_block_number,
          'updatedBlockNumber', state_block_number) as "onChain"
      from service.records where id = $1`,
    values: [context.req.param('id')],
  });
  return context.json({ data: rows[0], meta });
});

app.get('/v0/agreements/:id/state', async (context) => {
  const { rows } = await pool.query({
    name: 'state',
    text: `select status, state, document::json->'execution'->'states'->state->>'description' as description,
        state_block_number::int as "blockNumber", state_updated_at as "updatedAt",
        document::json->'execution'->'inputs' as inputs
      from service.records where id = $1`,
    values: [context.req.param('id')],
  });
  const { inputs, ...state } = rows[0];
  const acceptedInputs = Object.entries<{ data: Record<string, object> }>(inputs).map(
    ([inputId, { data }]) => ({
      inputId,
      issuers: [],
      anyone: true,
      fields: Object.entries(data).map(([name, field]) => ({ name, ...field, required: true })),
    }),
  );
  return context.json({ data: { ...state, acceptedInputs }, meta });
});

app.get('/v0/agreements/:id/inputs', async (context) => {
  const { rows } = await pool.query({
    name: 'inputs',
    text: `select id, record_id as "agreementId", agreement_address as "agreementAddress", chain_id as "chainId",
        input_id as "inputId", signer, submitter, from_state as "fromState", to_state as "toState", status, payload, "values",
        tx_hash as "txHash", block_number::int as "blockNumber", created_at as "createdAt", updated_at as "updatedAt"
      from service.inputs where ${orderedKey('record_id', 'created_at')} = $1
      order by created_at desc, coalesce(position, 2147483647) desc, id desc limit 26`,
    values: [context.req.param('id')],
  });
  const pageInfo = { limit: 25, nextCursor: rows.length > 25 ? rows[24].id : null };
  return context.json({ data: rows.slice(0, 25), pageInfo, meta });
});

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT) }, () =>
  console.log('listening'),
);
