const count = (n: number, one: string, many: string) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

/** Texts about evidence: in the console, and on the separate page that checks files. */
export const evidenceTexts = {
  title: 'Evidence',
  lead: 'One file with everything that proves what happened. Anyone can check it, years later and without this service.',
  download: 'Download the evidence',
  check: 'Check it in this browser',
  elsewhere: 'Check a file that somebody gave you',
  reading: 'The proofs are collected…',
  progress: (done: number, all: number) => `Proved ${done} of ${count(all, 'block', 'blocks')}`,
  checking: 'Checking every signature and proof…',
  hide: 'Hide the result',
  result: 'Result',
  levels: {
    none: {
      title: 'Not proved',
      meaning:
        'A signature cannot be read. Only blocks that you trust can show that the chain executed these steps, and who took them.',
    },
    signed: {
      title: 'Signed',
      meaning: 'The signatures are genuine. The file does not prove that the chain executed these steps.',
    },
    included: {
      title: 'Signed and included',
      meaning:
        'The signatures are genuine, and the steps are in the blocks listed below. The file does not prove that these blocks belong to the chain.',
    },
    anchored: {
      title: 'Signed, included and anchored',
      meaning: 'The signatures are genuine, and the steps are in blocks that you trust.',
    },
    anchoredOnly: {
      title: 'Included and anchored',
      meaning:
        'The steps are in blocks that you trust. Not every signature can be read: only these blocks name some of the accounts.',
    },
  },
  state: 'State',
  onChain: (chain: string) => `on ${chain}.`,
  file: (name: string, day: string) => `File ${name}. It says of itself that it was made ${day} by`,
  unchecked: 'Nothing checks this.',
  acts: 'Who signed what, and when',
  deployed: 'Deployed the agreement',
  ledTo: 'led to',
  somebody: 'Somebody',
  inText: 'in the text',
  signedBy: {
    permit: 'signed a permit',
    transaction: 'signed the transaction',
    nothing: 'according to the receipt, no readable signature',
  },
  actTime: (time: string, block: number) => `${time}, block ${block}.`,
  notReadable: 'not readable',
  ignored: (n: number) => `and ${count(n, 'data field', 'data fields')} that the contract ignores`,
  moreActs: (n: number) => `Show more of the ${n.toLocaleString('en')} steps`,
  established: 'What is established',
  trusted: 'What is trusted',
  notShown: 'What this does not show',
  blocks: 'Blocks',
  blocksLead: (chain: string) =>
    `Do these blocks belong to ${chain}? Compare their hashes with a source that you trust, such as a block explorer or your own node. Enter the hashes of that source: a block number and a hash in each line.`,
  blockCount: (n: number) => count(n, 'block', 'blocks'),
  confirmed: 'confirmed',
  hashes: 'Hashes from a source that you trust',
  hashesFault: 'Each line takes a block number, and 0x with 64 hex digits.',
  hashesExample: '1234567 0x…',
  again: 'Check again with these',
  text: 'The text',
  hash: 'Hash',
  contract: 'contract',
  showText: 'Show the document as it was hashed',
  refused: 'Refused',
  refusedTitle: 'This file proves nothing',
  refusedHint: 'The file was damaged or changed. Ask for the original file that the service made.',
  otherFileHint:
    'This is another kind of file, or an evidence file that was damaged or changed. Choose the file that the service made.',
  reason: 'Reason',
  reasonPlace: ', in',
  unreadable: 'The file cannot be read.',
  page: {
    title: 'Check evidence of an agreement',
    lead: 'An evidence file shows who signed what, and when. Your browser checks it: nothing is sent, and this page works without a connection once it is open.',
    drop: 'Drop a file here, or choose one',
    dropHint: 'Its name begins with “evidence-” and ends with “.json”. Up to 64 MiB.',
  },
};
