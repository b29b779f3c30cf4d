import { english } from './english.ts';

/**
 * Every text of the console. To add a language, add a file with the same members as `english.ts`, chosen here
 * by `navigator.language`.
 */
export const texts = english;
export const language = 'en';
