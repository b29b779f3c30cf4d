import { db } from 'ponder:api';
import schema from 'ponder:schema';
import { Hono } from 'hono';
import { graphql } from 'ponder';

/**
 * The indexer's own API, beside its health and metrics: GraphQL over the index, for operators. The service's
 * API is a separate server that reads the same tables.
 */
const app = new Hono();
app.use('/graphql', graphql({ db, schema }));

export default app;
