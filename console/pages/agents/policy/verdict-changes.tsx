import { List, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { Loaded } from '../../../kit/loaded.tsx';
import { surfaceOf } from '../../../kit/surface.ts';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { describePrincipal } from './rule-labels.ts';
import { verdictName } from './verdict-name.ts';

const query = graphql(`
  query PolicyVerdictChanges($configurationId: ID!, $text: String!) {
    policyVerdictChanges(configurationId: $configurationId, text: $text) {
      tool
      who {
        kind
        id
      }
      before {
        verdict
        steps
      }
      after {
        verdict
        steps
      }
      example {
        args
        surface
        tainted
      }
    }
    policyVocabulary(configurationId: $configurationId) {
      groups {
        id
        name
      }
    }
    configuration(id: $configurationId) {
      id
      agents {
        id
        name
      }
    }
  }
`);
type Change = ResultOf<typeof query>['policyVerdictChanges'][number];

/** The tools whose verdict the text would change, for whom, and for which calls. */
export function VerdictChanges({ configurationId, text }: { configurationId: string; text: string }) {
  const [result, refetch] = useQuery({
    query,
    variables: { configurationId, text },
    requestPolicy: 'cache-and-network',
  });
  return (
    <section aria-labelledby="verdict-changes">
      <Text size="sm" fw={550} id="verdict-changes" mb={4}>
        Changed verdicts
      </Text>
      <Loaded result={result} refetch={refetch}>
        {({ policyVerdictChanges: changes, policyVocabulary: { groups }, configuration: { agents } }) =>
          changes.length ? (
            <List listStyleType="none" size="sm" spacing="xs" aria-labelledby="verdict-changes">
              {changes.map((change, at) => (
                <List.Item key={at}>
                  <Line change={change} who={change.who.map((each) => describePrincipal(each, { groups, agents }))} />
                </List.Item>
              ))}
            </List>
          ) : (
            <Text size="sm" c="dimmed">
              None. Every tool keeps its verdict for everyone.
            </Text>
          )
        }
      </Loaded>
    </section>
  );
}

const Line = ({ change: { tool, before, after, example }, who }: { change: Change; who: string[] }) => (
  <>
    <Text span inherit ff="monospace">
      <Untrusted text={tool} />
    </Text>
    {': '}
    <Untrusted text={verdictName(before)} /> → <strong>{<Untrusted text={verdictName(after)} />}</strong>
    <Text size="xs" c="dimmed">
      <Untrusted text={who.join(', ')} />
      {example ? (
        <>
          , for some calls. For example: <Untrusted text={describeCall(example)} />
        </>
      ) : (
        ', for all calls'
      )}
    </Text>
  </>
);

const describeCall = ({ args, surface, tainted }: NonNullable<Change['example']>): string =>
  [
    `${JSON.stringify(args)} via ${surfaceOf({ surface })}`,
    ...(tainted ? ['in a task that read external content'] : []),
  ].join(' ');
