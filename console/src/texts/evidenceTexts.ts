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
        'A signature cannot be read. Only blocks that you trust can show that the chain took these steps, and who took them.',
    },
    signed: {
      title: 'Signed',
      meaning: 'The signatures are genuine. That the chain took these steps is not proved by the file.',
    },
    included: {
      title: 'Signed and included',
      meaning:
        'The signatures are genuine, and the steps stand in the blocks that are listed below. Whether these blocks belong to the chain is not proved by the file.',
    },
    anchored: {
      title: 'Signed, included and anchored',
      meaning: 'The signatures are genuine, and the steps stand in blocks that you trust.',
    },
    anchoredOnly: {
      title: 'Included and anchored',
      meaning:
        'The steps stand in blocks that you trust. A signature cannot be read: some accounts are named by these blocks alone.',
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
    `To be sure that these blocks are those of ${chain}, compare their hashes with a source that you trust, such as a block explorer or a node of your own, and enter what it says: a number and a hash in each line.`,
  blockCount: (n: number) => count(n, 'block', 'blocks'),
  confirmed: 'confirmed',
  hashes: 'Hashes from a source that you trust',
  hashesFault: 'Each line takes a number and 0x with 64 hex digits.',
  hashesExample: '1234567 0x…',
  again: 'Check again with these',
  text: 'The text',
  hash: 'Hash',
  contract: 'contract',
  showText: 'Show the document as it was hashed',
  refused: 'Refused',
  refusedTitle: 'This file proves nothing',
  refusedHint:
    'It was damaged, or somebody has changed it. Ask whoever gave it to you for the file as the service made it.',
  reason: 'Reason',
  reasonPlace: ', in',
  unreadable: 'The file cannot be read.',
  page: {
    title: 'Check evidence of an agreement',
    lead: 'A file of evidence shows who signed what, and when. It is checked here, in your browser: nothing of it is sent anywhere, and this page works without a connection once it is open.',
    drop: 'Drop a file here, or choose one',
    dropHint: 'evidence-….json, up to 64 MiB',
  },
};
