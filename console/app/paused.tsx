import { Alert, Anchor } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import { Link } from 'react-router';
import { When } from '../kit/when.tsx';
import { useMay, useMe } from './me.tsx';

/** Above every page while an administrator has stopped everything. */
export function Paused() {
  const { tenant } = useMe();
  const may = useMay();
  return (
    <div aria-live="polite">
      {tenant.pausedAt && (
        <Alert color="red" variant="light" icon={<IconPlayerPause aria-hidden />} title="Everything is paused" mb="md">
          An administrator has stopped all agents, products and machines <When at={tenant.pausedAt} />. Tasks wait.{' '}
          {may('organization:manage') && (
            <Anchor component={Link} to="/organization/settings" inherit>
              To the switch
            </Anchor>
          )}
        </Alert>
      )}
    </div>
  );
}
