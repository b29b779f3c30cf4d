/** Ponder looks for its configuration in this folder; the real file is at the top level. */
export { default } from '../../../ponder.config.ts';
