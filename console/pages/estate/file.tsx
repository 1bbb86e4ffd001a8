import { Accordion, Alert, Anchor, Badge, Button, Code, Group, List, Text } from '@mantine/core';
import { IconFileAlert } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { useQuery } from 'urql';
import { useMay } from '../../app/me.tsx';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useNews } from '../../api/live.ts';
import { Facts } from '../../kit/facts.tsx';
import { count } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { Part } from '../../kit/part.tsx';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { ApproveEntry } from './approve.tsx';
import { Definition, entryFields, type EntryNode } from './definition.tsx';
import { statusTone } from './files.tsx';
import { FindingRows } from './finding-rows.tsx';

const fileQuery = graphql(
  `
    query EstateFile($id: ID!) {
      estateFile(id: $id) {
        id
        path
        client
        kind
        scope
        status
        size
        firstSeen
        lastSeen
        changedAt
        modifiedAt
        goneAt
        version
        source {
          id
          name
        }
        owner {
          name
          email
        }
        problems {
          place
          reason
        }
        oddities {
          kind
          place
          detail
        }
        entries {
          ...EntryFields
        }
        versions {
          number
          seenAt
          status
          isGone
          entries
          problems {
            place
            reason
          }
        }
      }
    }
  `,
  [entryFields],
);
const retryFile = graphql(`
  mutation RetryEstateFile($id: ID!) {
    retryEstateFile(input: { fileId: $id }) {
      id
      status
    }
  }
`);
type File = ResultOf<typeof fileQuery>['estateFile'];

const trail = [
  ['AI estate', '/estate/overview'],
  ['Files', '/estate/files'],
] as const;

/** One configuration file: what it declares, what it said before, and what is wrong with it. */
export function Component() {
  const { id } = useParams();
  const [asked, again] = useQuery({ query: fileQuery, variables: { id: id! } });
  useNews('estate', () => again({ requestPolicy: 'network-only' }));
  return (
    <Loaded asked={asked} again={again}>
      {({ estateFile: file }) => (
        <Page title={visible(file.path)} heading={<Untrusted text={file.path} />} trail={trail}>
          {file.goneAt && (
            <Alert color="yellow" variant="light" mb="md" title="It is not there any more">
              Since <When at={file.goneAt} />.
            </Alert>
          )}
          {isQuarantined(file) && <Quarantine file={file} onRetried={again} />}
          <About file={file} />
          {!isQuarantined(file) && <Content file={file} />}
          <Part title="What it said before" lead="Each time its bytes changed; the last hundred are kept.">
            <History file={file} />
          </Part>
        </Page>
      )}
    </Loaded>
  );
}

const isQuarantined = ({ status }: File) => status === 'quarantined';

/** For files that could be read. */
const Content = ({ file }: { file: File }) => (
  <>
    {(file.problems.length > 0 || file.oddities.length > 0) && <Problems file={file} />}
    <Part title="Findings">
      <FindingRows filter={{ fileId: file.id }} empty={<Text size="sm">No open findings.</Text>} />
    </Part>
    <Part title="Servers">
      {file.entries.length ? <Entries entries={file.entries} /> : <Text size="sm">This file declares no servers.</Text>}
    </Part>
  </>
);

function Quarantine({ file: { id, problems }, onRetried }: { file: File; onRetried: () => void }) {
  const may = useMay();
  const mayRetry = may('estate:manage');
  const retry = useChange(retryFile, {
    done: 'The next upload or scan reads the file again.',
    isLoud: true,
    onDone: onRetried,
  });
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconFileAlert aria-hidden />}
      mb="md"
      title="This file could not be checked"
    >
      {problems.map(({ reason }, at) => (
        <Text key={at} size="sm" mb={6}>
          It <Untrusted text={reason} />.
        </Text>
      ))}
      <Text size="sm" mb={mayRetry ? 'sm' : 0}>
        Two worker processes failed to read it. Its servers and findings are unknown, and none of its content is stored.
        It is read again when its content changes
        {mayRetry ? ', or with the next upload or scan after you retry it' : ''}.
      </Text>
      {mayRetry && (
        <Button size="xs" variant="default" loading={retry.isSending} onClick={() => void retry.send({ id })}>
          Retry file
        </Button>
      )}
    </Alert>
  );
}

const About = ({ file }: { file: File }) => (
  <Section title="About it">
    <Facts
      facts={[
        [
          'Found on',
          <Anchor key="source" component={Link} to={`/estate/sources/${file.source.id}`} size="sm">
            <Untrusted text={file.source.name} />
          </Anchor>,
        ],
        ['Owner', file.owner && <Untrusted text={file.owner.email ?? file.owner.name} />],
        ['Scope', file.scope === 'user' ? 'everything its user does' : 'whoever opens the project'],
        ['Understood', <StateBadge key="status" state={statusTone[file.status]} label={file.status} />],
        ['Size', `${count(file.size)} bytes`],
        ['First seen', <When key="first" at={file.firstSeen} />],
        ['Last seen', <When key="last" at={file.lastSeen} />],
        ['Unchanged since', <When key="changed" at={file.changedAt} />],
        ['Modified, says its device', file.modifiedAt && <When at={file.modifiedAt} />],
      ]}
    />
  </Section>
);

const Problems = ({ file: { problems, oddities } }: { file: File }) => (
  <Alert
    color="yellow"
    variant="light"
    mb="lg"
    icon={<IconFileAlert aria-hidden />}
    title="Not all of it could be understood, or is as it should be"
  >
    <List size="sm">
      {[...problems, ...oddities.map(({ place, detail }) => ({ place, reason: detail }))].map(
        ({ place, reason }, at) => (
          <List.Item key={at}>
            <Untrusted text={place || 'The whole'} />: <Untrusted text={reason} />
          </List.Item>
        ),
      )}
    </List>
  </Alert>
);

function Entries({ entries }: { entries: readonly EntryNode[] }) {
  const may = useMay();
  const [approved, setApproved] = useState<EntryNode | null>(null);
  return (
    <>
      <Accordion variant="contained" multiple defaultValue={entries.length === 1 ? [entries[0].id] : []}>
        {entries.map((entry) => (
          <Accordion.Item key={entry.id} value={entry.id} bg="var(--sheet)">
            <Accordion.Control>
              <Untrusted text={entry.name} />
            </Accordion.Control>
            <Accordion.Panel>
              <Definition entry={entry} />
              <Group mt="sm">
                <Button component={Link} to={`/estate/servers/${entry.serverId}`} size="xs" variant="default">
                  Where else it is
                </Button>
                {may('estate:manage') && (
                  <Button size="xs" variant="default" onClick={() => setApproved(entry)}>
                    Approve as it is
                  </Button>
                )}
              </Group>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      {approved && <ApproveEntry entry={approved} onClose={() => setApproved(null)} />}
    </>
  );
}

const History = ({ file: { versions } }: { file: File }) => (
  <Accordion variant="contained">
    {versions.map(({ number, seenAt, isGone, status, entries, problems }) => (
      <Accordion.Item key={number} value={String(number)} bg="var(--sheet)">
        <Accordion.Control>
          <Group gap="xs">
            <Text size="sm">
              Version {number}, seen <When at={seenAt} />
            </Text>
            {isGone ? (
              <Badge color="gray">it was gone</Badge>
            ) : (
              <StateBadge state={statusTone[status]} label={status} />
            )}
          </Group>
        </Accordion.Control>
        <Accordion.Panel>
          {problems.map(({ place, reason }, at) => (
            <Text key={at} size="sm">
              <Untrusted text={place || 'The whole'} />: <Untrusted text={reason} />
            </Text>
          ))}
          <Code block tabIndex={0} aria-label={`Version ${number}`} style={{ overflowX: 'auto' }}>
            <Untrusted text={JSON.stringify(entries, null, 2)} />
          </Code>
        </Accordion.Panel>
      </Accordion.Item>
    ))}
  </Accordion>
);
