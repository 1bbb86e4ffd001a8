import { useLocation } from 'react-router';
import { nameOr, ReportTable } from './report-table.tsx';
import { withFilter } from './use-report-parameters.ts';

export function Component() {
  const { search } = useLocation();
  return (
    <ReportTable
      by="cost_centre"
      label="Cost centres"
      nameLabel="Cost centre"
      nameOf={nameOr('No cost centre')}
      narrowedBy={['group', 'person', 'connection']}
      to={({ id }) => `/spend/overview${id ? withFilter(search, 'centre', id) : search}`}
    />
  );
}
