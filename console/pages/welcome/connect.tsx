import { Button, SimpleGrid } from '@mantine/core';
import { Loaded } from '../../kit/loaded.tsx';
import { useKinds } from '../integrations/kinds.ts';
import { NewForm } from '../integrations/new.tsx';
import { SetUp } from '../integrations/set-up.tsx';

interface Props {
  /** Of the connector. */
  kindId: string;
  onMade(): void;
  onCancel(): void;
}

/** The form of the integration settings, inside the setup. */
export function Connect({ kindId, onMade, onCancel }: Props) {
  const [asked, again] = useKinds();
  return (
    <Loaded asked={asked} again={again}>
      {({ connectionKinds }) =>
        connectionKinds
          .filter(({ id }) => id === kindId)
          .map((kind) => (
            <SimpleGrid key={kind.id} cols={{ base: 1, lg: 2 }} spacing="xl">
              <NewForm
                kind={kind}
                onMade={onMade}
                cancel={
                  <Button variant="default" onClick={onCancel}>
                    Back
                  </Button>
                }
              />
              <SetUp kind={kind} />
            </SimpleGrid>
          ))
      }
    </Loaded>
  );
}
