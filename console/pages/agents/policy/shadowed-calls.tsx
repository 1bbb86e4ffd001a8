import { Anchor, List, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { When } from '../../../kit/when.tsx';
import type { Shadow } from './shadow-query.ts';
import { verdictName } from './verdict-name.ts';
import '../lines.css';

/** The calls with another verdict, by tool and verdicts, with the last ones as examples. */
export const ShadowedCalls = ({ changes }: { changes: Shadow['changes'] }) => (
  <ul className="lines" aria-label="Different verdicts">
    {changes.map(({ tool, before, after, calls, examples }) => (
      <li key={JSON.stringify([tool, before, after])}>
        <Text size="sm">
          <Text span inherit ff="monospace">
            <Untrusted text={tool} />
          </Text>
          {': '}
          <Untrusted text={verdictName(before)} /> → <strong>{<Untrusted text={verdictName(after)} />}</strong>,{' '}
          {calls === 1 ? '1 call' : `${calls.toLocaleString()} calls`}. <Untrusted text={examples[0].reason} />
        </Text>
        <List size="xs" listStyleType="none" c="dimmed">
          {examples.map(({ callId, taskId, caller, requestedAt }) => (
            <List.Item key={callId}>
              <Anchor component={Link} to={taskId ? `/tasks/${taskId}` : `/audit?subject=${callId}`} inherit>
                <When at={requestedAt} />
              </Anchor>{' '}
              <Untrusted text={caller} />
            </List.Item>
          ))}
        </List>
      </li>
    ))}
  </ul>
);
