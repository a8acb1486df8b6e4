// node examples/report/data.mjs [FILE]: writes the data of the report, 8,000 lines of JSON, to data.json beside this file
// or to FILE. A thousand orders of one quarter, made from a seed, so that they are the same each time.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SEED = 2026;

const REGIONS = [
  { Name: 'North', Manager: 'Femke Janssen', orders: 214, before: 0.92 },
  { Name: 'East', Manager: 'Paweł Zieliński', orders: 187, before: 1.04 },
  { Name: 'South', Manager: 'Lucia Moretti', orders: 243, before: 0.88 },
  { Name: 'West', Manager: 'Claire Dubois', orders: 196, before: 0.97 },
  { Name: 'Overseas', Manager: 'Daniel Okafor', orders: 160, before: 0.81 },
];

const PRODUCTS = [
  { name: 'Chair “Linden”', price: 189, most: 24 },
  { name: 'Stool “Hazel”', price: 96, most: 30 },
  { name: 'Bench, 160 cm', price: 420, most: 8 },
  { name: 'Oak dining table', price: 1480, most: 4 },
  { name: 'Side table “Alder”', price: 265, most: 10 },
  { name: 'Bookcase, five shelves', price: 740, most: 6 },
  { name: 'Coat stand', price: 148, most: 12 },
  { name: 'Care oil, 500 ml', price: 18.5, most: 60 },
];

const PLACES = [
  'Harbour',
  'Lakeside',
  'Old Town',
  'Station',
  'Castle',
  'Garden',
  'Bridge',
  'Market',
];
const HOUSES = [
  'Hotel',
  'Café',
  'Library',
  'Guest House',
  'School',
  'Offices',
  'Clinic',
  'Theatre',
];

/** Numbers from 0 to 1, the same for the same seed (Mulberry32's mixing). */
function createRandom(/** @type {number} */ seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function reportData() {
  const random = createRandom(SEED);
  const below = (/** @type {number} */ limit) => Math.floor(random() * limit);
  const pick = (/** @type {readonly string[]} */ list) => list[below(list.length)] ?? '';
  let number = 40_000;
  const order = (/** @type {number} */ day) => {
    const product = PRODUCTS[below(PRODUCTS.length)] ?? { name: '', price: 0, most: 1 };
    const Quantity = 1 + below(product.most);
    return {
      Date: new Date(Date.UTC(2026, 6, 1 + day)).toISOString().slice(0, 10),
      Number: `A-${(number += 1 + below(3))}`,
      Customer: `${pick(PLACES)} ${pick(HOUSES)}`,
      Product: product.name,
      Quantity,
      Amount: Quantity * product.price,
    };
  };
  const regions = REGIONS.map(({ orders, before, ...region }) => {
    const Orders = Array.from({ length: orders }, (_, n) => order(Math.floor((n * 92) / orders)));
    const Revenue = Orders.reduce((sum, { Amount }) => sum + Amount, 0);
    const Change = Math.round((1 / before - 1) * 1000) / 1000;
    return { ...region, Count: orders, Revenue, Change, Orders };
  });
  const revenue = regions.reduce((sum, { Revenue }) => sum + Revenue, 0);
  const share = (/** @type {number} */ part) => Math.round((part / revenue) * 1000) / 1000;
  return {
    Title: 'Sales, third quarter of 2026',
    From: '2026-07-01',
    To: '2026-09-30',
    Created: '2026-10-05T08:15:00Z',
    Currency: 'EUR',
    Figures: [
      { Name: 'Orders', Value: 1000, Unit: 'pieces' },
      { Name: 'Revenue', Value: revenue, Unit: 'money' },
      { Name: 'Average order', Value: Math.round(revenue / 10) / 100, Unit: 'money' },
    ],
    Regions: regions.map((region) => ({ ...region, Share: share(region.Revenue) })),
    Comment:
      '<p>The quarter was a good one. <b>Overseas</b> grew most, by orders of hotels that furnish whole floors; ' +
      '<b>East</b> is the only region below last year, because two large deliveries moved to October.</p>' +
      '<p>Three things to watch:</p><ul><li>Oak has become dearer by a tenth since June.</li>' +
      '<li>Stools sell in larger lots than before; the second shift starts in November.</li>' +
      '<li>Care oil is ordered with every second table. It should be offered with all of them.</li></ul>',
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const file = process.argv[2] ?? join(import.meta.dirname, 'data.json');
  writeFileSync(file, `${JSON.stringify(reportData(), null, 2)}\n`);
}
