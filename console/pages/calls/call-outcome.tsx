import { Code } from '@mantine/core';
import { callStateName } from '../../features/tasks/states.ts';
import { settlementNames } from '../../features/tasks/settlements.ts';
import { Facts } from '../../kit/facts.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import type { CallRecord } from './call-query.ts';

export const CallOutcome = ({ call }: { call: CallRecord }) => (
  <Facts
    facts={[
      ['State', callStateName(call.state)],
      ['Reason', call.reason && <Untrusted key="reason" text={call.reason} />],
      ['Error code', call.code && <Code key="code">{call.code}</Code>],
      ['Resolution', call.settlement && settlementNames[call.settlement]],
      ['Attempts', call.attempts],
      ['Ended', call.endedAt && <When key="ended" at={call.endedAt} />],
      ['Result rules', call.resultNotice && noticeText(call.resultNotice)],
      ['Hash of the original result', call.resultHash && <Code key="hash">{call.resultHash}</Code>],
    ]}
  />
);

const actionNames = {
  marked: 'Marked, and passed on',
  redacted: 'Redacted',
  withheld: 'Withheld from the caller',
};

const findingNames: Record<string, string> = {
  secret: 'secrets',
  protected_field: 'protected fields',
  email: 'e-mail addresses',
  phone: 'phone numbers',
  iban: 'IBANs',
  card: 'payment card numbers',
};

function noticeText({ action, found }: NonNullable<CallRecord['resultNotice']>): string {
  const parts = found.map(({ kind, count }) => {
    if (kind === 'oversize') return 'too large';
    if (kind === 'unchecked') return 'could not be checked';
    return `${findingNames[kind] ?? kind}: ${count}`;
  });
  return `${actionNames[action]} (${parts.join(', ')})`;
}
