import { Hono } from 'hono';

/** Ponder requires an application to serve; health and readiness are its own. */
export default new Hono();
