import { Badge, Grid, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import './connector-list.css';
import {
  cadenceName,
  descriptionOf,
  groupConnectors,
  type ConnectorGroup,
  type Connector,
  offerNames,
  useConnectors,
} from '../../features/integrations/connectors.ts';

export function Component() {
  const [result, refetch] = useConnectors();
  return (
    <Page
      title="Add integration"
      lead="Choose what to connect. Nothing is sent until you enter an address and credentials."
      trail={[['Integration settings', '/integrations']]}
    >
      <Loaded result={result} refetch={refetch}>
        {({ connectors }) =>
          groupConnectors(connectors).map((group) => <ConnectorGroupSection key={group.title} of={group} />)
        }
      </Loaded>
    </Page>
  );
}

const ConnectorGroupSection = ({ of: { title, about, connectors: kinds } }: { of: ConnectorGroup }) => (
  <Grid component="section" aria-label={title} mb="xl">
    <Grid.Col span={{ base: 12, md: 3 }}>
      <Title order={2}>{title}</Title>
      <Text size="sm" c="dimmed">
        {about}
      </Text>
    </Grid.Col>
    <Grid.Col span={{ base: 12, md: 9 }}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {kinds.map((connector) => (
          <ConnectorCard key={connector.id} connector={connector} />
        ))}
      </SimpleGrid>
    </Grid.Col>
  </Grid>
);

const ConnectorCard = ({ connector }: { connector: Connector }) => (
  <Paper p="md" className="connector">
    <Stack gap={6} h="100%">
      <Link to={`/integrations/new/${connector.id}`} className="connector-link">
        {connector.title}
      </Link>
      <Text size="sm" c="dimmed" flex={1}>
        {descriptionOf(connector)}
      </Text>
      <Group gap={6} mt={4}>
        {connector.offers.map((offer) => (
          <Badge key={offer} color="gray">
            {offerNames[offer]}
          </Badge>
        ))}
        {connector.pullCadence && (
          <Text size="xs" c="dimmed">
            Synced every {cadenceName(connector.pullCadence)}
          </Text>
        )}
      </Group>
    </Stack>
  </Paper>
);
