import { expect, test } from 'vitest';
import { mayChoose } from '../../../console/src/agreements/mayChoose.ts';

const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const byOther = { issuers: [other], anyone: false };
const byBoth = { issuers: [other, wallet.toLowerCase()], anyone: false };
const byAnyone = { issuers: [], anyone: true };

test.each([
  ['a principal', { mayAct: true }, [true, true, true]],
  ['a guest who signs with one wallet', { mayAct: true, onlyWallet: wallet }, [false, true, true]],
  ['a guest who only reads', { mayAct: false, onlyWallet: wallet }, [false, false, false]],
])('%s is offered the inputs that it can send', (_, guest, offered) => {
  expect([byOther, byBoth, byAnyone].map((input) => mayChoose(guest, input))).toEqual(offered);
});
