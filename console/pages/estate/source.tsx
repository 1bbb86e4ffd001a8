import { Alert, Button, Group, List, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useParams } from 'react-router';
import { useQuery } from 'urql';
import { useMay } from '../../kit/me.tsx';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { Facts } from '../../kit/facts.tsx';
import { count } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { PlainSection } from '../../kit/plain-section.tsx';
import { QuarantinedJobs } from '../../kit/quarantined-jobs.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { FileRows } from './files.tsx';
import { labelOf, platformName } from './labels.ts';

const sourceQuery = graphql(`
  query EstateSource($id: ID!) {
    estateSource(id: $id) {
      id
      kind
      name
      platform
      fileCount
      firstSeen
      lastSeen
      completeAt
      nextAt
      failure
      keyId
      hasDeviceSecret
      problemCount
      problems {
        place
        reason
      }
      owner {
        name
        email
      }
    }
  }
`);
const scanFolder = graphql(`
  mutation ScanEstateFolder($input: EstateSourceInput!) {
    scanEstateFolder(input: $input) {
      id
    }
  }
`);
const forgetDevice = graphql(`
  mutation ForgetEstateDevice($input: EstateSourceInput!) {
    removeEstateDevice(input: $input) {
      id
    }
  }
`);
const releaseDevice = graphql(`
  mutation ReleaseEstateDevice($input: EstateSourceInput!) {
    releaseEstateDevice(input: $input) {
      id
    }
  }
`);
type Source = ResultOf<typeof sourceQuery>['estateSource'];

const trail = [
  ['AI estate', '/estate/overview'],
  ['Sources', '/estate/sources'],
] as const;

/** A device or folder. */
export function Component() {
  const { id } = useParams();
  const may = useMay();
  const [result, ask] = useQuery({ query: sourceQuery, variables: { id: id! } });
  const refetch = () => ask({ requestPolicy: 'network-only' });
  useChangeEvents('estate', refetch);
  return (
    <Loaded result={result} refetch={ask}>
      {({ estateSource: source }) => (
        <Page
          title={visible(source.name)}
          heading={<Untrusted text={source.name} />}
          trail={trail}
          actions={may('estate:manage') && <Actions source={source} refetch={refetch} />}
        >
          <QuarantinedJobs of={{ sourceId: source.id }} />
          <About source={source} />
          {source.problems.length > 0 && <Problems source={source} />}
          <PlainSection title="Files">
            <FileRows filter={{ sourceId: source.id }} />
          </PlainSection>
        </Page>
      )}
    </Loaded>
  );
}

const About = ({ source }: { source: Source }) => (
  <Section title="Details">
    {source.failure && (
      <Alert color="red" variant="light" mb="md" title="Last scan failed">
        <Untrusted text={source.failure} />
      </Alert>
    )}
    <Facts
      facts={[
        ['Type', labelOf(source.kind)],
        ['Owner', source.owner && <Untrusted text={source.owner.email ?? source.owner.name} />],
        ['Platform', source.platform && <Untrusted text={platformName(source.platform)} />],
        ['Uploads accepted from', source.kind === 'device' && uploadersOf(source)],
        ['Files', count(source.fileCount)],
        ['First seen', <When key="first" at={source.firstSeen} />],
        ['Last seen', <When key="last" at={source.lastSeen} never="Never" />],
        ['Last complete inventory', <When key="complete" at={source.completeAt} never="Never" />],
        ['Next scan', source.nextAt && <When at={source.nextAt} />],
      ]}
    />
  </Section>
);

function uploadersOf({ keyId, hasDeviceSecret }: Source): string {
  if (keyId)
    return hasDeviceSecret ? 'the API key and device secret of its first upload' : 'the API key of its first upload';
  return hasDeviceSecret ? 'any estate key with its device secret' : 'any estate key; the next upload binds the device';
}

const Problems = ({ source: { problems, problemCount } }: { source: Source }) => (
  <Alert color="yellow" variant="light" mb="lg" title="Some files could not be read">
    <List size="sm">
      {problems.map(({ place, reason }, at) => (
        <List.Item key={at}>
          <Untrusted text={place || 'Whole source'} />: <Untrusted text={reason} />
        </List.Item>
      ))}
    </List>
    {problemCount > problems.length && (
      <Text size="xs" c="dimmed">
        and {count(problemCount - problems.length)} more
      </Text>
    )}
  </Alert>
);

function Actions({ source, refetch }: { source: Source; refetch(): void }) {
  const scan = useChange(scanFolder, { done: 'Scan started.', isLoud: true, onDone: refetch });
  if (source.kind === 'folder')
    return (
      <Button
        variant="default"
        leftSection={<IconRefresh size={16} aria-hidden />}
        loading={scan.isSending}
        onClick={() => void scan.send({ input: { sourceId: source.id } })}
      >
        Scan folder
      </Button>
    );
  return (
    <Group>
      {(source.keyId || source.hasDeviceSecret) && <Release source={source} refetch={refetch} />}
      <Forget source={source} refetch={refetch} />
    </Group>
  );
}

function Release({ source, refetch }: { source: Source; refetch(): void }) {
  const [isOpen, setOpen] = useState(false);
  const name = visible(source.name);
  const release = useChange(releaseDevice, {
    done: `${name} released. Its next upload binds it again.`,
    onDone: () => {
      setOpen(false);
      refetch();
    },
  });
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Release device
      </Button>
      <Confirm
        opened={isOpen}
        onClose={() => {
          setOpen(false);
          release.forget();
        }}
        title={`Release ${name}?`}
        verb="Release device"
        problem={release.problem}
        isSending={release.isSending}
        onConfirm={() => void release.send({ input: { sourceId: source.id } })}
      >
        <Text size="sm">
          Its current API key and device secret no longer protect this name. The next upload for {name} by any API key
          with the estate scope replaces its inventory and owns it from then on.
        </Text>
      </Confirm>
    </>
  );
}

function Forget({ source, refetch }: { source: Source; refetch(): void }) {
  const [isOpen, setOpen] = useState(false);
  const forget = useChange(forgetDevice, {
    done: 'Device forgotten. Its files are marked as removed.',
    onDone: () => {
      setOpen(false);
      refetch();
    },
  });
  return (
    <>
      <Button variant="subtle" color="red" onClick={() => setOpen(true)}>
        Forget device
      </Button>
      <Confirm
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Forget ${visible(source.name)}?`}
        verb="Forget device"
        problem={forget.problem}
        isSending={forget.isSending}
        onConfirm={() => void forget.send({ input: { sourceId: source.id } })}
      >
        <Text size="sm">
          All of its files are marked as removed; their history stays. The device returns with its next upload.
        </Text>
      </Confirm>
    </>
  );
}
