import { forgetContracts } from './apiContract.ts';

forgetContracts();
