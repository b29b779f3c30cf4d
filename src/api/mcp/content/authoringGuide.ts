import type { ToolWords } from './toolWords.ts';

/** How to write documents, for readers who have nothing else. */
export const writeAuthoringGuide = ({
  check,
  passed,
  play,
  prepare,
}: ToolWords) => `# How to write an agreement

An agreement is a JSON document: text that people read, and a state machine that a contract on a chain enforces. Each party acts by signed
inputs. Only what the document says can happen, and nobody can change the document after the deployment.

## The parts

\`metadata\`: \`templateId\` (the kind of agreement, such as \`did:template:loan\`), \`id\`, \`name\`. One of the two ids is needed.

\`variables\`: by name, \`{"type", "subtype"?, "validation"?}\`. Types: \`string\`, \`dateTime\` (text, RFC 3339), \`signature\` (text),
\`address\`, \`uint256\` (whole numbers, as decimal text), \`bool\`, \`bytes32\`, \`txHash\`. A party is an \`address\` with
\`"subtype": "participant"\`. Rules: \`required\` (true unless it says false), \`min\` and \`max\` of numbers, \`minLength\` and \`maxLength\`
of texts: the contract enforces these. Only the service checks \`pattern\` and \`step\`.

\`content\`: \`{"type": "md", "data": "…"}\`. \`\${variables.name}\` in it shows the value. People sign this text, so it must not promise
anything that the states do not enforce.

\`execution.initialize\`: \`initialState\`, and \`data\` with the variables that have a value from the beginning:
\`{"task": "\${variables.task}"}\`. Every participant belongs here: an input of a participant without a wallet can never be sent.

\`execution.states\`: by name, \`{"description"}\`. A state is a fact that both parties can agree on (DELIVERED), not an activity. Write the
description for somebody who asks "what now?".

\`execution.inputs\`: by name, \`{"issuer", "schema"}\` or \`{"issuer", "data"}\`.
- \`issuer\`: who may send it. \`{"type": "participant", "variable": "client"}\` for one; a list \`["\${variables.client}", "\${variables.contractor}"]\`
  for several. Without an issuer **anyone** may send it.
- \`schema\`: the fields, each \`{"type", "validation"?}\`. In \`data\` a field may be \`"\${variables.resultUri}"\`: then it has that
  variable's type and rules, and its value becomes the variable's.

\`execution.transitions\`: a list of \`{"from", "to", "conditions": [{"input": "deliver"}]}\`. If several have the same state and input, the first one counts.

\`execution.actions\` (optional): calls of other contracts that the agreement makes in the transaction of an input:
\`{"id", "when": {"from", "input"}, "call": {"type": "evmCall", "target", "value", "abi", "method", "args"}}\`. If the call fails, so does the input.

## In this order

1. Name the parties and what each owes.
2. List the states, with the ways out of each. Give every state that waits for somebody a way out for the other party.
3. For each way an input: who sends it, and which facts it must carry.
4. Write the text, and compare each sentence with the states.
5. Check with ${check} until ${passed}.
6. Play it ${play}: the usual course, somebody doing nothing, somebody out of turn.
7. Only then ${prepare}.

## Mistakes that are made most often

- A participant is missing in \`execution.initialize.data\`: nobody can act for it.
- Time does nothing by itself. A deadline is a date in a variable and an input that the other party may send; notification rules remind.
- An input without an issuer, which anyone may send.
- A state without a way out that is not meant to be final.
- Two transitions with the same state and input: the second one never happens.
- Amounts as decimals: \`uint256\` is whole. Use cents, or the smallest unit of the token.
- Personal data in values: what is sent to a chain stays there, for all to see.
`;
