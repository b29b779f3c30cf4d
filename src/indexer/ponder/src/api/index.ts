import { db } from 'ponder:api';
import schema from 'ponder:schema';
import { Hono } from 'hono';
import { graphql } from 'ponder';

/**
 * What the indexer serves itself, beside its health and metrics: GraphQL over the index, for operators. The service has its
 * own server, which reads the same tables.
 */
const app = new Hono();
app.use('/graphql', graphql({ db, schema }));

export default app;
