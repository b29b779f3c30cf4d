import { Hono } from 'hono';

/** Ponder requires an application to serve. Ponder itself serves health and readiness. */
export default new Hono();
