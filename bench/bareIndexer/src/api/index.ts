import { Hono } from 'hono';

/** Ponder wants an application to serve; health and readiness are its own. */
export default new Hono();
