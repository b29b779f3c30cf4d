/** Ponder looks for its configuration in this folder; the real one stands at the top level. */
export { default } from '../../../ponder.config.ts';
