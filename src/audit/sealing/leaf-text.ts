import { canonicalJson } from '../../platform/json/strict-json.js';

/** An event, with its JSON and its time as PostgreSQL prints them. */
export interface PrintedEvent {
  id: string;
  /** In UTC, without the time zone. */
  at: string;
  kind: string;
  actor: string;
  subject: string | null;
  detail: string;
  requestId: string | null;
}

/** The same text as `eventText` of the exported event, in less time. */
export const leafText = ({ id, at, kind, actor, subject, detail, requestId }: PrintedEvent): string =>
  `{"actor":${canonicalActor(actor)},"at":"${toIsoTime(at)}","detail":${canonical(detail)},"id":"${id}","kind":${canonicalJson(kind)},"requestId":${requestId === null ? 'null' : `"${requestId}"`},"subject":${subject === null ? 'null' : canonical(subject)}}`;

const canonical = (json: string): string => canonicalJson(JSON.parse(json));

const maxActors = 1000;
const canonicalActors = new Map<string, string>();

/** The same people and agents act again and again. */
function canonicalActor(json: string): string {
  const cached = canonicalActors.get(json);
  if (cached !== undefined) return cached;
  const text = canonical(json);
  if (canonicalActors.size >= maxActors) canonicalActors.clear();
  canonicalActors.set(json, text);
  return text;
}

const printedTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?$/;

/** PostgreSQL omits zeros at the end of a fraction. An export has milliseconds. */
function toIsoTime(at: string): string {
  if (!printedTime.test(at)) throw new Error(`PostgreSQL printed the time of an event as "${at}"`);
  return `${at.slice(0, 10)}T${at.slice(11, 19)}.${at.slice(20, 23).padEnd(3, '0')}Z`;
}
