import { Alert, Anchor, Code, List, Text } from '@mantine/core';
import { IconFileAlert } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../api/change-events.ts';
import { Facts } from '../../kit/facts.tsx';
import { count } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { PlainSection } from '../../kit/plain-section.tsx';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { fileStatus, ownerLabel } from './labels.ts';
import { FindingRows } from './finding-rows.tsx';
import { fileQuery, type EstateFile } from './file-query.ts';
import { QuarantinedFile } from './quarantined-file.tsx';
import { FileHistory } from './file-history.tsx';
import { FileEntries } from './file-entries.tsx';

const trail = [
  ['AI estate', '/estate/overview'],
  ['Files', '/estate/files'],
] as const;

/** A configuration file: its servers, findings, and history. */
export function Component() {
  const { id } = useParams();
  const [result, refetch] = useQuery({ query: fileQuery, variables: { id: id! } });
  useChangeEvents('estate', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ estateFile: file }) => (
        <Page title={visible(file.path)} heading={<Untrusted text={file.path} />} trail={trail}>
          {file.goneAt && (
            <Alert color="yellow" variant="light" mb="md" title="File removed">
              Removed <When at={file.goneAt} />.
            </Alert>
          )}
          {isQuarantined(file) && <QuarantinedFile file={file} onRetried={refetch} />}
          <About file={file} />
          {!isQuarantined(file) && <Content file={file} />}
          <PlainSection
            title="History"
            lead="One version for each change of the file; the last 100 versions are stored."
          >
            <FileHistory file={file} />
          </PlainSection>
        </Page>
      )}
    </Loaded>
  );
}

const isQuarantined = ({ status }: EstateFile) => status === 'quarantined';

const Content = ({ file }: { file: EstateFile }) => (
  <>
    {(file.problems.length > 0 || file.oddities.length > 0) && <Problems file={file} />}
    <PlainSection title="Findings">
      <FindingRows filter={{ fileId: file.id }} empty={<Text size="sm">No open findings.</Text>} />
    </PlainSection>
    <PlainSection title="Servers">
      {file.entries.length ? (
        <FileEntries entries={file.entries} />
      ) : (
        <Text size="sm">This file declares no servers.</Text>
      )}
    </PlainSection>
  </>
);

const About = ({ file }: { file: EstateFile }) => (
  <Section title="Details">
    <Facts
      facts={[
        [
          'Source',
          <Anchor key="source" component={Link} to={`/estate/sources/${file.source.id}`} size="sm">
            <Untrusted text={file.source.name} />
          </Anchor>,
        ],
        ['Owner', file.owner && <Untrusted text={ownerLabel(file.owner)} />],
        ['Resource kind', <Code key="kind">{file.kind}</Code>],
        ['Scope', file.scope === 'user' ? 'User (all projects)' : 'Project (everyone who opens it)'],
        ['Status', <StateBadge key="status" {...fileStatus[file.status]} />],
        ['Size', `${count(file.size)} bytes`],
        ['First seen', <When key="first" at={file.firstSeen} />],
        ['Last seen', <When key="last" at={file.lastSeen} />],
        ['Unchanged since', <When key="changed" at={file.changedAt} />],
        ['Modified (reported by device)', file.modifiedAt && <When at={file.modifiedAt} />],
      ]}
    />
  </Section>
);

const Problems = ({ file: { problems, oddities } }: { file: EstateFile }) => (
  <Alert
    color="yellow"
    variant="light"
    mb="lg"
    icon={<IconFileAlert aria-hidden />}
    title="Parse problems and anomalies"
  >
    <List size="sm">
      {[...problems, ...oddities.map(({ place, detail }) => ({ place, reason: detail }))].map(
        ({ place, reason }, at) => (
          <List.Item key={at}>
            <Untrusted text={place || 'Whole file'} />: <Untrusted text={reason} />
          </List.Item>
        ),
      )}
    </List>
  </Alert>
);
