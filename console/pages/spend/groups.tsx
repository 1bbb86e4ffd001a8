import { useLocation } from 'react-router';
import { nameOr, ReportTable } from './report-table.tsx';
import { withFilter } from './use-report-parameters.ts';

export function Component() {
  const { search } = useLocation();
  return (
    <ReportTable
      by="group"
      label="Groups"
      nameLabel="Group"
      nameOf={nameOr('No group')}
      narrowedBy={['centre', 'person', 'connection']}
      to={({ id }) => `/spend/overview${id ? withFilter(search, 'group', id) : search}`}
    />
  );
}
