import { milestoneWork, simpleLoan } from './exampleDocuments.ts';

const block = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

/** The example documents part by part, with explanations. */
export const annotatedExamples = `# Two agreements, explained

## A loan in two steps

The whole document is agreements://examples/simple-agreement.json.

Two participants, a text and a number. \`depositCents\` is a whole number, as all amounts are:

${block({ variables: simpleLoan.variables })}

All four have a value from the beginning. If \`rider\` were missing here, nobody could ever send \`take\`:

${block({ initialize: simpleLoan.execution.initialize })}

Each input names who sends it. \`note\` may be left out, as its rule says \`"required": false\`; \`giveBack\` has no fields:

${block({ inputs: simpleLoan.execution.inputs })}

A line of states. \`RETURNED\` has no way out, so it is final:

${block({ transitions: simpleLoan.execution.transitions })}

A weakness: the owner can do nothing if the bicycle never comes back. The next example avoids this.

## Work with a review and a way out

The whole document is agreements://examples/complex-agreement.json.

\`resultUri\` and \`resultHash\` are declared, but not initialised: they get their values by the input \`deliver\`, whose fields refer to
them. The hash shows which result was accepted; nobody can replace it later:

${block({ deliver: milestoneWork.execution.inputs.deliver })}

\`cancel\` has two issuers, as a list. Either may send it:

${block({ cancel: milestoneWork.execution.inputs.cancel })}

\`askForChanges\` leads back, so there may be any number of rounds. \`cancel\` appears twice, once for each state in which it is possible.
It is not possible in \`DELIVERED\`, so that the client cannot keep a delivery without accepting it:

${block({ transitions: milestoneWork.execution.transitions })}

If the client never answers a delivery, the agreement stays in \`DELIVERED\` for ever: nothing happens by itself. To change
this, add an input of the contractor, such as \`claimAcceptance\`, and say in the text from when it may be sent.
`;
