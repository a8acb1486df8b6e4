import { seededRandom } from '@millrace/simulator-kit';
import type { NewDataExtension, Row } from '../data/account.ts';
import { sqlTime } from '../data/dates.ts';

const FIRST_NAMES = [
  'Ada',
  'Ben',
  'Carla',
  'Deniz',
  'Emil',
  'Fatima',
  'Grace',
  'Hugo',
  'Ines',
  'Jun',
];
const LAST_NAMES = ['Archer', 'Baker', 'Castro', 'Dubois', 'Egger', 'Fischer', 'Garcia', 'Hansen'];
const COUNTRIES = ['DE', 'US', 'FR', 'BR', 'JP', 'GB'];
const STATES = ['New', 'Paid', 'Shipped', 'Returned'];

const CUSTOMERS = 1000;
const ORDERS = 3000;
const DAY = 86_400_000;

/** The key of a subscriber, in the data views and here. */
export function subscriberKey(id: number): string {
  return `sub-${String(id).padStart(6, '0')}`;
}

/** Two data extensions that a first query can be about; their customers are among the subscribers. */
export function sampleDataExtensions(seed: number, mid: string, now: number): NewDataExtension[] {
  const random = seededRandom(seed + Number(mid));
  const whole = (most: number): number => Math.floor(random() * most);
  const one = (list: readonly string[]): string => list[whole(list.length)] ?? '';
  const midnight = now - (now % DAY);

  const customer = (_: unknown, place: number): Row => {
    const [first, last, id] = [one(FIRST_NAMES), one(LAST_NAMES), place + 1];
    return {
      CustomerKey: customerKey(id),
      SubscriberKey: subscriberKey(id),
      FirstName: first,
      LastName: last,
      EmailAddress: `${first}.${last}.${id}@example.com`.toLowerCase(),
      Country: one(COUNTRIES),
      Age: random() < 0.05 ? null : String(18 + whole(60)),
      IsActive: random() < 0.8 ? 'True' : 'False',
      JoinDate: sqlTime(midnight - whole(2000) * DAY),
    };
  };
  const order = (_: unknown, place: number): Row => ({
    OrderID: String(place + 1),
    CustomerKey: customerKey(1 + whole(CUSTOMERS)),
    OrderDate: sqlTime(midnight - whole(400 * 24) * 3_600_000),
    Total: (5 + random() * 400).toFixed(2),
    Status: one(STATES),
  });

  return [
    {
      name: 'Customers',
      customerKey: 'Customers',
      description: 'Customers of the sample',
      fields: [
        { name: 'CustomerKey', maxLength: 20, isPrimaryKey: true },
        { name: 'SubscriberKey', maxLength: 254 },
        { name: 'FirstName', maxLength: 50 },
        { name: 'LastName', maxLength: 50 },
        { name: 'EmailAddress', type: 'EmailAddress' },
        { name: 'Country', maxLength: 2 },
        { name: 'Age', type: 'Number' },
        { name: 'IsActive', type: 'Boolean' },
        { name: 'JoinDate', type: 'Date' },
      ],
      rows: Array.from({ length: CUSTOMERS }, customer),
    },
    {
      name: 'Orders',
      customerKey: 'Orders',
      description: 'Orders of the sample',
      fields: [
        { name: 'OrderID', type: 'Number', isPrimaryKey: true },
        { name: 'CustomerKey', maxLength: 20 },
        { name: 'OrderDate', type: 'Date' },
        { name: 'Total', type: 'Decimal', maxLength: 18, scale: 2 },
        { name: 'Status', maxLength: 20 },
      ],
      rows: Array.from({ length: ORDERS }, order),
    },
  ];
}

function customerKey(id: number): string {
  return `C${String(id).padStart(5, '0')}`;
}
