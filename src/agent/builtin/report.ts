import type { Artifact } from '../agent-model.port.js';
import type { AnsweredCall, MessageExchange } from '../conversation.js';
import { citablesOf, citationsPart, searchResultOf, searchTool } from '../passages.js';
import { isActionCall, receiptPart, describeCall } from '../receipt.js';
import { answerFromPassages } from './answer.js';
import { exactCalls } from './exact-call.js';
import { truncate } from '../../platform/text/truncate.js';

export interface ExchangeWithOutcomes {
  exchange: MessageExchange;
  calls: AnsweredCall[];
}

/** The artifacts of a successful task: one answer for each question, and one report for all other calls. */
export function buildArtifacts(called: readonly ExchangeWithOutcomes[]): Artifact[] {
  const entries = called.flatMap(({ exchange, calls }) =>
    calls.map((call) => ({ call, isQuestion: isKnowledgeQuestion(exchange, call) })),
  );
  const answers = entries.filter(({ isQuestion }) => isQuestion).map(({ call }) => toAnswerArtifact(call));
  const others = entries.filter(({ isQuestion }) => !isQuestion).map(({ call }) => call);
  return [...answers, ...(others.length ? [toReportArtifact(others)] : [])].map((artifact, index) => ({
    artifactId: `${index + 1}`,
    ...artifact,
  }));
}

/** A search that this model planned for a question, not one that the caller spelled out. */
const isKnowledgeQuestion = ({ parts }: MessageExchange, { tool }: AnsweredCall) =>
  tool === searchTool && !exactCalls(parts).calls.length;

function toAnswerArtifact(call: AnsweredCall): Omit<Artifact, 'artifactId'> {
  const { query } = JSON.parse(call.arguments) as { query: string };
  const found = searchResultOf(call);
  if (!found) throw new Error(`The search ${call.outcome.callId} succeeded without a result`);
  const answer = answerFromPassages(query, found.passages);
  const text = answer ? answer.text : notFoundText(found.sources);
  return { name: 'answer', description: query, parts: [{ text }, citationsPart(answer?.quotes ?? [])] };
}

const notFoundText = (sources: number): string =>
  sources === 0
    ? 'No documents were searched: none of the integrations of this configuration has been read yet.'
    : `Not found in ${sources} ${sources === 1 ? 'source' : 'sources'}.`;

function toReportArtifact(calls: readonly AnsweredCall[]): Omit<Artifact, 'artifactId'> {
  const text = calls.map((call) => [describeCall(call), responseText(call)].filter(Boolean).join('\n')).join('\n\n');
  const actions = calls.filter(isActionCall);
  const cited = calls.length === 1 ? citablesOf(calls[0]) : []; // with several calls, citation numbers would be ambiguous
  const quotes = cited.map((passage) => ({ passage, snippet: passage.snippet }));
  const parts = [
    { text },
    ...(quotes.length ? [citationsPart(quotes)] : []),
    ...(actions.length ? [receiptPart(actions)] : []),
  ];
  return { name: 'report', parts };
}

const maxReportedLength = 4000;

/** The response of the connected system, truncated to limit the report. The receipt has the URL. */
function responseText({ outcome }: AnsweredCall): string {
  const texts = (outcome.result?.content ?? []).flatMap((content) => (content.type === 'text' ? [content.text] : []));
  const text = texts.join('\n').trim();
  return text.length > maxReportedLength
    ? `${truncate(text, maxReportedLength)} … (${text.length - maxReportedLength} more characters)`
    : text;
}
