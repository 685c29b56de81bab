"""The simulation of many workers: bounds hold."""

from scripts.simulate_scale import main


def test_speed_up_stays_below_its_bound(capsys):
    assert main(["--men", "4"]) == 0
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("|") and line[2].isdigit()
    ]
    by_workers = [row for row in rows if len(row) == 5]
    assert [row[0] for row in by_workers] == ["1", "4", "16", "64"]
    speedups = [float(row[2]) for row in by_workers]
    assert speedups == sorted(speedups)
    assert all(float(row[2]) <= float(row[3]) for row in by_workers)


def test_overhead_lowers_the_speed_up(capsys):
    main(["--men", "4"])
    without = capsys.readouterr().out
    main(["--men", "4", "--overhead", "1"])
    assert capsys.readouterr().out != without
