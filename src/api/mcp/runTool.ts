import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { isInputRequiredResult } from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import { describeError } from '../../platform/http/errorResponse.ts';
import { traceStep } from '../../platform/tracing/tracing.ts';
import { listUnfit } from '../shapes/textFitness.ts';
import type { AgentCall } from './agentCall.ts';
import { refuseArguments, type Tool } from './defineTool.ts';
import type { Remedies } from './remedies.ts';
import { writeToolError } from './toolError.ts';
import { writeAnswer } from './writeAnswer.ts';

export type ToolCall = {
  readonly name: string;
  readonly args: unknown;
  readonly requestId: string;
  /** How deeply arguments may nest. */
  readonly maxNesting: number;
};

/** The outcome of a tool call; `tool` is an existing tool or `unknown`. */
export type ToolOutcome = {
  readonly tool: string;
  readonly outcome: 'answered' | 'refused' | 'failed';
  readonly seconds: number;
};

export type ToolRunner = (asked: ToolCall, call: AgentCall) => Promise<CallToolResult | InputRequiredResult>;

/**
 * Runs tools by name. Every failure is a result that says what is wrong, why and what to do: an agent cannot
 * act on a protocol error.
 */
export function createToolRunner(
  tools: readonly Tool[],
  {
    remedies,
    logger,
    onOutcome,
  }: {
    /** What to do after a refusal, by the names of these tools. */
    remedies: Remedies;
    logger: Logger;
    onOutcome?: ((outcome: ToolOutcome) => void) | undefined;
  },
): ToolRunner {
  const byName = new Map(tools.map((tool) => [tool.description.name, tool]));

  const run = async ({ name, args, maxNesting }: ToolCall, call: AgentCall) => {
    await call.count();
    const tool = byName.get(name);
    if (!tool) {
      const message = `is not a tool; the tools are ${[...byName.keys()].join(', ')}`;
      throw refuseArguments([{ path: 'name', message }]);
    }
    const unfit = listUnfit(args, maxNesting);
    if (unfit.length > 0) throw refuseArguments(unfit);
    const answer = await tool.run(args, call);
    return isInputRequiredResult(answer) ? answer : writeAnswer(answer);
  };

  return (asked, call) => {
    const startedAt = performance.now();
    const tool = byName.has(asked.name) ? asked.name : 'unknown';
    const note = (outcome: ToolOutcome['outcome']) =>
      onOutcome?.({ tool, outcome, seconds: (performance.now() - startedAt) / 1_000 });
    const plan = { name: `tools/call ${tool}`, attributes: { 'mcp.method.name': 'tools/call' } };
    return traceStep(plan, async (span) => {
      span.note({ 'gen_ai.tool.name': tool, 'agreements.request.id': asked.requestId });
      try {
        const result = await run(asked, call);
        note('answered');
        return result;
      } catch (error) {
        const { status, details } = describeError(error);
        const { requestId } = asked;
        const facts = { requestId, tool, principalId: call.principalId, status, reason: details?.reason };
        if (status >= 500) logger.error({ ...facts, err: error }, 'a tool failed');
        else logger.info(facts, 'a tool refused its call');
        if (status >= 500) span.note({ 'error.type': String(status) });
        note(status >= 500 ? 'failed' : 'refused');
        return writeToolError(error, { requestId, remedies });
      }
    });
  };
}
