import { Badge, Grid, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import './catalogue.css';
import { aboutOf, groupedKinds, type GroupedKinds, type Kind, offerNames, useKinds } from './kinds.ts';

export function Component() {
  const [asked, again] = useKinds();
  return (
    <Page
      title="Add integration"
      lead="Choose what to connect. Nothing is sent until you enter an address and credentials."
      trail={[['Integration settings', '/integrations']]}
    >
      <Loaded asked={asked} again={again}>
        {({ connectionKinds }) =>
          groupedKinds(connectionKinds).map((group) => <KindGroup key={group.title} of={group} />)
        }
      </Loaded>
    </Page>
  );
}

const KindGroup = ({ of: { title, about, kinds } }: { of: GroupedKinds }) => (
  <Grid component="section" aria-label={title} mb="xl">
    <Grid.Col span={{ base: 12, md: 3 }}>
      <Title order={2}>{title}</Title>
      <Text size="sm" c="dimmed">
        {about}
      </Text>
    </Grid.Col>
    <Grid.Col span={{ base: 12, md: 9 }}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {kinds.map((kind) => (
          <KindCard key={kind.id} kind={kind} />
        ))}
      </SimpleGrid>
    </Grid.Col>
  </Grid>
);

const KindCard = ({ kind }: { kind: Kind }) => (
  <Paper p="md" className="kind">
    <Stack gap={6} h="100%">
      <Link to={`/integrations/new/${kind.id}`} className="kind-link">
        {kind.title}
      </Link>
      <Text size="sm" c="dimmed" flex={1}>
        {aboutOf(kind)}
      </Text>
      <Group gap={6} mt={4}>
        {kind.offers.map((offer) => (
          <Badge key={offer} color="gray">
            {offerNames[offer]}
          </Badge>
        ))}
      </Group>
    </Stack>
  </Paper>
);
