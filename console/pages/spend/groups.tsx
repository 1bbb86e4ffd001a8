import { useLocation } from 'react-router';
import { nameOr, ReportTable } from './report-table.tsx';
import { narrowedTo } from './use-question.ts';

export function Component() {
  const { search } = useLocation();
  return (
    <ReportTable
      by="group"
      label="Groups"
      nameLabel="Group"
      nameOf={nameOr('In no group')}
      narrowedBy={['centre', 'connection']}
      to={({ id }) => `/spend/overview${id ? narrowedTo(search, 'group', id) : search}`}
    />
  );
}
