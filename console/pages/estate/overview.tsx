import { Anchor, Button, Group, Paper, SimpleGrid, Table, Text, UnstyledButton } from '@mantine/core';
import { IconDevices } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { singlePage } from '../../kit/single-page.ts';
import { Empty } from '../../kit/empty.tsx';
import { count } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { PlainSection } from '../../kit/plain-section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { findingNode } from './finding-query.ts';
import { FindingTable } from './finding-rows.tsx';
import { ruleNames, severities } from './labels.ts';

const overviewQuery = graphql(
  `
    query EstateOverview {
      estateFindings(first: 5) {
        nodes {
          ...FindingNode
        }
        totalCount
      }
      estateCounts {
        devices
        folders
        files
        servers
      }
      estateFindingCounts {
        rule
        severity
        open
        dismissed
        files
        servers
      }
    }
  `,
  [findingNode],
);
type Overview = ResultOf<typeof overviewQuery>;
type FindingCount = Overview['estateFindingCounts'][number];

export function Component() {
  const [result, refetch] = useQuery({ query: overviewQuery });
  useChangeEvents('estate', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ estateCounts: counts, estateFindingCounts: findings, estateFindings: topFindings }) =>
        counts.files + counts.devices + counts.folders + findings.length === 0 ? (
          <NoInventory />
        ) : (
          <>
            <Counts {...counts} />
            <Severities findings={findings} />
            <PlainSection title="Top findings" actions={<AllFindings />}>
              <FindingTable
                pages={{ ...singlePage(topFindings.nodes), totalCount: topFindings.totalCount }}
                empty={<NoFindings />}
              />
            </PlainSection>
            <Rules findings={findings} />
          </>
        )
      }
    </Loaded>
  );
}

const NoInventory = () => (
  <Empty
    icon={IconDevices}
    title="No AI tools found yet"
    action={
      <Button component={Link} to="/estate/sources" variant="light">
        Set up sources
      </Button>
    }
  >
    Upload the configuration of your devices, or connect a folder to scan.
  </Empty>
);

const AllFindings = () => (
  <Anchor component={Link} to="/estate/findings" size="sm">
    View all findings
  </Anchor>
);

const NoFindings = () => <Text size="sm">No open findings.</Text>;

const tiles = [
  { name: 'servers', label: 'MCP servers', to: '/estate/servers' },
  { name: 'files', label: 'Configuration files', to: '/estate/files' },
  { name: 'devices', label: 'Devices', to: '/estate/sources?kind=device' },
  { name: 'folders', label: 'Folders', to: '/estate/sources?kind=folder' },
] as const;

const Counts = (counts: Overview['estateCounts']) => (
  <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm" mb="sm">
    {tiles.map(({ name, label, to }) => (
      <Figure key={name} label={label} value={counts[name]} to={to} />
    ))}
  </SimpleGrid>
);

const Figure = ({ label, value, to }: { label: React.ReactNode; value: number; to: string }) => (
  <UnstyledButton component={Link} to={to}>
    <Paper p="md">
      <Text size="sm" c="dimmed" component="div">
        {label}
      </Text>
      <Text fz="1.6rem" fw={620} lh={1.2} className="figures">
        {count(value)}
      </Text>
    </Paper>
  </UnstyledButton>
);

const Severities = ({ findings }: { findings: readonly FindingCount[] }) => (
  <SimpleGrid cols={{ base: 2, xs: 3, md: 5 }} spacing="sm" mb="xl">
    {severities.map((severity) => (
      <Figure
        key={severity}
        label={
          <Group gap={6}>
            <StateBadge state={severity} /> open
          </Group>
        }
        value={sumOf(findings.filter((finding) => finding.severity === severity))}
        to={`/estate/findings?severity=${severity}`}
      />
    ))}
  </SimpleGrid>
);

const sumOf = (findings: readonly FindingCount[]) => findings.reduce((sum, { open }) => sum + open, 0);

const Rules = ({ findings }: { findings: readonly FindingCount[] }) => (
  <PlainSection title="Findings by rule">
    <Paper>
      <Table.ScrollContainer
        minWidth={520}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Findings by rule' } }}
      >
        <Table className="figures" verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Rule</Table.Th>
              <Table.Th>Severity</Table.Th>
              {['Open', 'Files', 'Servers', 'Dismissed'].map((label) => (
                <Table.Th key={label} ta="end">
                  {label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {findings.map(({ rule, severity, open, files, servers, dismissed }) => (
              <Table.Tr key={`${rule} ${severity}`}>
                <Table.Td>
                  <Anchor component={Link} to={`/estate/findings?rule=${rule}&severity=${severity}`} size="sm">
                    {ruleNames[rule]}
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <StateBadge state={severity} />
                </Table.Td>
                {[open, files, servers, dismissed].map((value, at) => (
                  <Table.Td key={at} ta="end">
                    {count(value)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  </PlainSection>
);
